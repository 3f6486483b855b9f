/** What is said in the sessions of the demonstration that wait for a person. */

const call = (callId: string, name: string, args: object, result: string, filesModified: string[] = []) => ({
  callId,
  name,
  arguments: args,
  result,
  error: null,
  filesModified,
});

export const keysTurn = {
  messages: [
    { role: 'USER' as const, content: 'Rotate the signing keys of the webhooks. Receivers must not notice.' },
    {
      role: 'ASSISTANT' as const,
      content: 'Both keys sign for a day, then the old one is removed. The script is tested on staging.',
    },
  ],
  toolCalls: [
    call('call_10', 'Write', { file_path: 'ops/rotate.go' }, 'written', ['ops/rotate.go']),
    call('call_11', 'Bash', { command: 'go test ./ops/...' }, 'ok 14 tests'),
  ],
};

export const invoicesTurn = {
  messages: [
    { role: 'USER' as const, content: 'Keep a copy of each invoice that customers export.' },
    {
      role: 'ASSISTANT' as const,
      content: 'The export writes a file already; what is open is where it stays.',
    },
  ],
};

export const question = {
  question: 'Where should the invoices be kept?',
  options: ['In the database', 'In the object store'],
};
