import { bodies } from './bodies.ts';
import { connections } from './connections.ts';
import { documents } from './documents.ts';
import { methods } from './methods.ts';
import type { Hostile } from './request.ts';
import { values } from './values.ts';

export const hostileRequests: readonly Hostile[] = [...documents, ...values, ...bodies, ...methods, ...connections];
