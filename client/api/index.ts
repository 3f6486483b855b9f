/** What `baton-handoffs/client` gives: typed operations, requests that try again, streams of events, and the work of an agent. */
export * from './operations.ts';
export { createApi, Refused, type Api, type PayloadOf } from './request.ts';
export { takeHandoffs, type TakeOptions, type TakenHandoff } from './takeHandoffs.ts';
export * from '../stream/index.ts';
