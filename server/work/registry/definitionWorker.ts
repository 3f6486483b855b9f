import { answerMessages } from '../../core/threadAnswers.ts';
import type { DefinitionFile } from './definition.ts';
import { readDefinition } from './readDefinition.ts';

// A worker thread of `definitionThread.ts`: it alone reads and redacts agent definitions.

answerMessages((files: readonly DefinitionFile[]) => files.map(readDefinition));
