import { useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAccess } from '../../access/viewer.ts';
import { countOf } from '../../acts/outcome.ts';
import { RunDialog, type Item } from '../../acts/RunDialog.tsx';
import { AgentCombobox } from '../../agents/AgentCombobox.tsx';
import { AgentOption } from '../../agents/AgentSelect.tsx';
import { showNotice } from '../../ui/notices.ts';
import { SelectField } from '../../ui/SelectField.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { NoticeText } from '../../ui/UndoNotice.tsx';
import styles from './ImportDialog.module.css';
import { upload, type Imported } from './upload.ts';

interface ImportDialogProps {
  /** The session that the transcript belongs to; null creates one for each file. */
  into: { id: string; title: string } | null;
  /** The dropped files. */
  files: readonly File[];
  onClose: () => void;
}

interface FileItem extends Item {
  file: File;
}

const formats = [
  ['AUTO', 'Found out from the file'],
  ['CLAUDE_CODE', 'Claude Code'],
  ['CODEX', 'OpenAI Codex'],
  ['GEMINI_CLI', 'Gemini CLI'],
  ['OPENCODE', 'OpenCode'],
  ['COPILOT_CLI', 'Copilot CLI'],
  ['CURSOR_CLI', 'Cursor CLI'],
  ['AIDER', 'Aider'],
] as const;

/** Imports transcripts of coding tools: into a session, or each into a new one. */
export default function ImportDialog({ into, files: dropped, onClose }: ImportDialogProps) {
  const { key, viewer } = useAccess();
  const [, navigate] = useLocation();
  const [files, setFiles] = useState<readonly File[]>(dropped);
  const [agentId, setAgentId] = useState(viewer.agentId ?? '');
  const [format, setFormat] = useState<(typeof formats)[number][0]>('AUTO');
  const [title, setTitle] = useState('');
  const chooser = useId();
  const items = files.map((file, index): FileItem => ({
    id: `${index} ${file.name} ${file.size} ${file.lastModified}`,
    title: file.name,
    file,
  }));
  const done = (payloads: readonly Imported[]): void => {
    const [only] = payloads.length === 1 ? payloads : [];
    showNotice(
      <>
        <NoticeText>{summaryOf(payloads)}</NoticeText>
        {only && into === null && <Link href={`/sessions/${only.sessionId}`}>Open the session</Link>}
      </>,
      { hasActs: only !== undefined },
    );
    if (only && into === null) navigate(`/sessions/${only.sessionId}`);
  };
  return (
    <RunDialog
      title={into ? `Import into "${into.title}"` : 'Import transcripts'}
      items={items}
      word={files.length > 1 ? `Import ${files.length} files` : 'Import'}
      busy="Importing …"
      icon="upload"
      isReady={files.length > 0}
      run={({ file }) =>
        upload(
          file,
          { sessionId: into?.id ?? null, agentId, format, title: into === null && files.length === 1 ? title : '' },
          key,
        )
      }
      onAllDone={done}
      onClose={onClose}
      fields={
        <>
          <p className="soft">
            {into
              ? 'What is new in the file is added to the log as history. Lines that were imported before are skipped.'
              : 'Each file becomes a session of its own.'}{' '}
            A transcript is what Claude Code, Codex, Gemini CLI or a similar program keeps of a conversation. Secrets in
            it are redacted.
          </p>
          <div className="field">
            <label htmlFor={chooser}>{files.length > 1 ? 'Files' : 'File'}</label>
            <input
              id={chooser}
              className="input"
              type="file"
              multiple
              accept=".jsonl,.json,.ndjson,.md"
              onChange={({ target }) => setFiles([...(target.files ?? [])])}
            />
            {files.length > 0 && (
              <ul role="list" className={styles.files}>
                {items.map(({ id, file }) => (
                  <li key={id}>
                    <span className="mono">{file.name}</span> <span className="soft small">{sizeOf(file.size)}</span>
                  </li>
                ))}
              </ul>
            )}
            <span className="hint">At most 64 MB each. You can also drop files on the page.</span>
          </div>
          {viewer.agentId === null && (
            <div className="field">
              <span className="label">Agent</span>
              <AgentCombobox
                label="Agent"
                none={into ? 'The holder of the session' : 'No agent'}
                value={agentId}
                onChange={setAgentId}
              >
                {(agent) => <AgentOption agent={agent} />}
              </AgentCombobox>
              <span className="hint">
                {into
                  ? 'The agent that wrote the turns. It has or had the session.'
                  : 'The agent that wrote the turns. It holds the new session, and needs a free place.'}
              </span>
            </div>
          )}
          {into === null && files.length <= 1 && (
            <TextField
              label="Title"
              hint="If this is empty, the transcript's own title or its first request."
              value={title}
              onChange={setTitle}
              error={undefined}
            />
          )}
          <SelectField label="Format" value={format} onChange={setFormat} options={formats} />
        </>
      }
    />
  );
}

function summaryOf(payloads: readonly Imported[]): string {
  const sum = (of: (imported: Imported) => number): number => payloads.reduce((all, imported) => all + of(imported), 0);
  const [messages, calls, redactions] = [
    sum(({ messagesAdded }) => messagesAdded),
    sum(({ toolCallsAdded }) => toolCallsAdded),
    sum((each) => each.redactions),
  ];
  if (messages + calls === 0) return 'Nothing in it was new.';
  return `Imported ${countOf(messages, 'message')} and ${countOf(calls, 'tool call')}.${redactions > 0 ? ` ${countOf(redactions, 'secret')} redacted.` : ''}`;
}

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
