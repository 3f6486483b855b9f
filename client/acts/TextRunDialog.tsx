import { useState, type ReactNode } from 'react';
import { TextField } from '../ui/TextField.tsx';
import { RunDialog, type Item, type RunDialogProps } from './RunDialog.tsx';
import type { Outcome } from './outcome.ts';

export interface TextRunDialogProps<Each extends Item, Payload> extends Omit<
  RunDialogProps<Each, Payload>,
  'fields' | 'isReady' | 'run'
> {
  /** What it does, before the field. */
  children: ReactNode;
  text: { label: string; hint: string; required: boolean };
  run: (item: Each, text: string) => Promise<Outcome<Payload>>;
}

/** An act that takes a text: a reason or a summary. */
export function TextRunDialog<Each extends Item, Payload>({
  children,
  text: { label, hint, required },
  run,
  ...dialog
}: TextRunDialogProps<Each, Payload>) {
  const [text, setText] = useState('');
  return (
    <RunDialog
      {...dialog}
      isReady={!required || text.trim() !== ''}
      run={(item) => run(item, text)}
      fields={
        <>
          <p>{children}</p>
          <TextField label={label} hint={hint} value={text} onChange={setText} error={undefined} rows={3} />
        </>
      }
    />
  );
}
