/** What `baton/client` gives: typed operations, requests that try again, and streams of events. */
export * from './operations.ts';
export { createApi, Refused, type Api, type PayloadOf } from './request.ts';
export * from '../stream/index.ts';
