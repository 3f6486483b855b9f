/** What happened in a program's session, independent of the program. */
export type Step =
  | { person: string }
  /** Words of the agent: `aside` announces its next step and tells a successor nothing. */
  | { agent: string; aside?: true }
  /** Text that the program put in a person's place. */
  | { notice: Notice; text: string }
  /** A command; without a code it has no answer. `refused`: by a person. */
  | { run: string; output?: string; code?: number; background?: true; refused?: true }
  | { read: string; output: string }
  /** A file written by the program's tool for it, or a failure of it. */
  | { edit: string; error?: string }
  /** The whole list of tasks. */
  | { tasks: readonly { text: string; about?: string; done?: boolean; begun?: boolean }[] }
  | { ask: string; options: string[]; answer?: string }
  /** A summary after a cut window. */
  | { compacted: string }
  | { subagent: string; report: string }
  /** A page of the web. */
  | { web: string; output: string };

export type Notice =
  'template' | 'skill' | 'environment' | 'reminder' | 'hook' | 'takeover' | 'local' | 'error' | 'interrupt';

export type Program = 'Claude Code' | 'Codex' | 'Gemini CLI';
export const programs: readonly Program[] = ['Claude Code', 'Codex', 'Gemini CLI'];

export interface Told {
  folder: string;
  branch: string;
  steps: readonly Step[];
  /** Makes ids differ between the transcripts of one session. */
  leg: number;
}

/** A transcript as the program writes it. */
export const written = (program: Program, told: Told): string =>
  program === 'Claude Code' ? claude(told) : program === 'Codex' ? codex(told) : gemini(told);

const start = Date.parse('2026-11-03T09:00:00Z');
const at = (step: number): string => new Date(start + step * 7_000).toISOString();

function claude({ folder, branch, steps, leg }: Told): string {
  const lines: object[] = [];
  let tasks = 0;
  const entry = (fields: object): number =>
    lines.push({
      sessionId: `story-${leg}`,
      uuid: `u-${leg}-${lines.length}`,
      timestamp: at(lines.length),
      isSidechain: false,
      cwd: folder,
      gitBranch: branch,
      version: '2.1.197',
      ...fields,
    });
  const user = (content: unknown, fields: object = {}): number =>
    entry({ type: 'user', message: { role: 'user', content }, ...fields });
  const assistant = (content: object[], fields: object = {}): number =>
    entry({
      type: 'assistant',
      message: {
        id: `msg-${leg}-${lines.length}`,
        role: 'assistant',
        model: 'claude-opus-4-8',
        content,
        usage: { input_tokens: 3, output_tokens: 9 },
      },
      ...fields,
    });
  const call = (name: string, input: object, answer: string | null, failed = false, fields: object = {}): void => {
    const id = `toolu_${leg}_${lines.length}`;
    assistant([{ type: 'tool_use', id, name, input }]);
    if (answer !== null)
      user([{ type: 'tool_result', tool_use_id: id, content: answer, ...(failed && { is_error: true }) }], fields);
  };
  const notices: Record<Notice, (text: string) => void> = {
    template: (text) => {
      user('<command-message>ship is running…</command-message>\n<command-name>/ship</command-name>');
      user([{ type: 'text', text }], { isMeta: true });
    },
    skill: (text) => {
      call('Skill', { skill: 'house-style' }, 'Launching skill: house-style');
      user([{ type: 'text', text: `Base directory for this skill: /home/ada/.claude/skills/x\n\n${text}` }], {
        isMeta: true,
      });
    },
    environment: (text) => user([{ type: 'text', text: `<ide_opened_file>${text}</ide_opened_file>` }]),
    reminder: (text) => user([{ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }]),
    hook: (text) => {
      entry({
        type: 'attachment',
        attachment: { type: 'hook_additional_context', content: [text], hookName: 'SessionStart' },
      });
      user(`Stop hook feedback:\n- [check.sh]: ${text}`, { isMeta: true });
    },
    takeover: (text) => user(text),
    local: (text) => {
      user(
        '<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args></command-args>',
      );
      user(`<local-command-stdout>${text}</local-command-stdout>`);
    },
    error: (text) => assistant([{ type: 'text', text: `API Error: 529 ${text}` }], { isApiErrorMessage: true }),
    interrupt: () => user([{ type: 'text', text: '[Request interrupted by user]' }]),
  };
  for (const step of steps) {
    if ('person' in step) user(step.person);
    else if ('agent' in step) assistant([{ type: 'text', text: step.agent }]);
    else if ('notice' in step) notices[step.notice](step.text);
    else if ('run' in step) {
      const { run, output = '', code, background, refused } = step;
      if (refused === true)
        call(
          'Bash',
          { command: run },
          "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.",
          true,
        );
      else if (background === true)
        call(
          'Bash',
          { command: run, run_in_background: true },
          `Command running in background with ID: b${lines.length}`,
        );
      else if (code === undefined) call('Bash', { command: run }, null);
      else
        call(
          'Bash',
          { command: run, description: 'Run it' },
          code === 0 ? output : `Exit code ${code}\n${output}`,
          code !== 0,
        );
    } else if ('read' in step) call('Read', { file_path: `${folder}/${step.read}` }, step.output);
    else if ('edit' in step)
      call(
        'Edit',
        { file_path: `${folder}/${step.edit}`, old_string: 'a', new_string: 'b' },
        step.error === undefined
          ? `The file ${folder}/${step.edit} has been updated.`
          : `<tool_use_error>${step.error}</tool_use_error>`,
        step.error !== undefined,
      );
    else if ('tasks' in step) {
      if (tasks === 0)
        for (const { text, about } of step.tasks) {
          tasks += 1;
          call(
            'TaskCreate',
            { subject: text, description: about ?? text, activeForm: text },
            `Task #${tasks} created successfully: ${text}`,
            false,
            {
              toolUseResult: { task: { id: String(tasks), subject: text } },
            },
          );
        }
      for (const [index, { done, begun }] of step.tasks.entries())
        if (done === true || begun === true)
          call(
            'TaskUpdate',
            { taskId: String(index + 1), status: done === true ? 'completed' : 'in_progress' },
            `Updated task #${index + 1} status`,
          );
    } else if ('ask' in step)
      call(
        'AskUserQuestion',
        { questions: [{ question: step.ask, options: step.options.map((label) => ({ label })) }] },
        step.answer === undefined
          ? null
          : `User has answered your questions: "${step.ask}"="${step.answer}". You can now continue with the user's answers in mind.`,
      );
    else if ('compacted' in step) {
      entry({ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' });
      user(`This session is being continued from a previous conversation that ran out of context. ${step.compacted}`, {
        isCompactSummary: true,
      });
    } else if ('web' in step) call('WebFetch', { url: `https://${step.web}`, prompt: 'Summarise it' }, step.output);
    else call('Task', { prompt: step.subagent, subagent_type: 'Explore' }, step.report);
  }
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

function codex({ folder, branch, steps, leg }: Told): string {
  const lines: object[] = [];
  const add = (type: string, payload: object): number => lines.push({ timestamp: at(lines.length), type, payload });
  const item = (payload: object): number => add('response_item', payload);
  const message = (role: string, text: string): number =>
    item({ type: 'message', role, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }] });
  const person = (text: string): void => {
    message('user', text);
    add('event_msg', { type: 'user_message', message: text, images: [] });
  };
  const call = (name: string, args: object, output: string | null): void => {
    const id = `call_${leg}_${lines.length}`;
    item({ type: 'function_call', name, arguments: JSON.stringify(args), call_id: id });
    if (output !== null) item({ type: 'function_call_output', call_id: id, output });
  };
  const head = (code: number, output: string): string =>
    `Chunk ID: ${(4096 + lines.length).toString(16)}\nWall time: 0.${lines.length} seconds\nProcess exited with code ${code}\nOriginal token count: ${output.length >> 2}\nOutput:\n${output}`;
  const patch = (file: string, error?: string): void => {
    const id = `call_${leg}_${lines.length}`;
    const input = `*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+b\n*** End Patch\n`;
    item({ type: 'custom_tool_call', name: 'apply_patch', input, call_id: id, status: 'completed' });
    item({
      type: 'custom_tool_call_output',
      call_id: id,
      output:
        error === undefined
          ? JSON.stringify({ output: `Success. Updated the following files:\nM ${file}\n`, metadata: { exit_code: 0 } })
          : `apply_patch verification failed: ${error}`,
    });
  };
  const notices: Record<Notice, (text: string) => unknown> = {
    template: (text) => message('developer', text),
    skill: (text) => message('user', `<skill>\n<name>house-style</name>\n${text}\n</skill>`),
    environment: (text) =>
      message('user', `<environment_context>\n  <cwd>${folder}</cwd>\n  ${text}\n</environment_context>`),
    reminder: (text) =>
      message('user', `# AGENTS.md instructions for ${folder}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`),
    hook: (text) => message('developer', text),
    takeover: (text) => person(text),
    local: (text) =>
      message(
        'user',
        `<user_shell_command>\n<command>git status</command>\n<result>${text}</result>\n</user_shell_command>`,
      ),
    error: (text) => add('event_msg', { type: 'stream_error', message: text }),
    interrupt: (text) => message('user', `<turn_aborted>\n${text}\n</turn_aborted>`),
  };
  add('session_meta', {
    id: `rollout-${leg}`,
    cwd: folder,
    cli_version: '0.169.0',
    git: { branch, commit_hash: null },
  });
  for (const step of steps) {
    if ('person' in step) person(step.person);
    else if ('agent' in step) {
      message('assistant', step.agent);
      add('event_msg', { type: 'agent_message', message: step.agent });
    } else if ('notice' in step) notices[step.notice](step.text);
    else if ('run' in step) {
      const { run, output = '', code, background, refused } = step;
      const answer =
        refused === true
          ? 'exec command rejected by user'
          : background === true
            ? `Chunk ID: 77\nWall time: 1.0 seconds\nProcess running with session ID ${lines.length}\nOutput:\n`
            : code === undefined
              ? null
              : head(code, output);
      call('exec_command', { cmd: run, workdir: folder }, answer);
    } else if ('read' in step)
      call('exec_command', { cmd: `sed -n '1,200p' ${step.read}`, workdir: folder }, head(0, step.output));
    else if ('edit' in step) patch(step.edit, step.error);
    else if ('tasks' in step)
      call(
        'update_plan',
        {
          plan: step.tasks.map(({ text, about, done, begun }) => ({
            step: about === undefined ? text : `${text}: ${about}`,
            status: done === true ? 'completed' : begun === true ? 'in_progress' : 'pending',
          })),
        },
        'Plan updated',
      );
    else if ('ask' in step)
      call(
        'request_user_input',
        { questions: [{ id: 'q', question: step.ask, options: step.options.map((label) => ({ label })) }] },
        step.answer === undefined ? null : JSON.stringify({ answers: { q: { answers: [step.answer] } } }),
      );
    else if ('compacted' in step) add('compacted', { message: step.compacted });
    else if ('web' in step) call('web_fetch', { url: `https://${step.web}` }, step.output);
    else call('spawn_agent', { message: step.subagent }, step.report);
  }
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

function gemini({ folder, steps, leg }: Told): string {
  const messages: object[] = [];
  const add = (type: string, content: string, fields: object = {}): void => {
    messages.push({ id: `g-${leg}-${messages.length}`, timestamp: at(messages.length), type, content, ...fields });
  };
  const call = (name: string, args: object, output: string | null, status = 'success'): void => {
    const id = `${name}-${leg}-${messages.length}`;
    const response = status === 'error' ? { error: output } : { output };
    add('gemini', '', {
      model: 'gemini-2.5-pro',
      toolCalls: [
        output === null
          ? { id, name, args, status: 'executing' }
          : { id, name, args, status, result: [{ functionResponse: { id, name, response } }] },
      ],
    });
  };
  const notices: Record<Notice, (text: string) => void> = {
    template: (text) => add('info', text),
    skill: (text) => add('user', `<activated_skill name="house-style">\n${text}\n</activated_skill>`),
    environment: (text) => add('user', `This is the Gemini CLI. We are setting up the context for our chat.\n${text}`),
    reminder: (text) => add('user', `<session_context>\n${text}\n</session_context>`),
    hook: (text) => add('user', `<hook_context>${text}</hook_context>`),
    takeover: (text) => add('user', text),
    local: (text) => {
      add('user', '/model');
      add('info', text);
    },
    error: (text) => add('error', `[API Error: ${text}]`),
    interrupt: () => add('info', 'Request cancelled.'),
  };
  for (const step of steps) {
    if ('person' in step) add('user', step.person);
    else if ('agent' in step) add('gemini', step.agent, { model: 'gemini-2.5-pro' });
    else if ('notice' in step) notices[step.notice](step.text);
    else if ('run' in step) {
      const { run, output = '', code, background, refused } = step;
      if (refused === true)
        call(
          'run_shell_command',
          { command: run },
          '[Operation Cancelled] Reason: User did not allow tool call',
          'cancelled',
        );
      else
        call(
          'run_shell_command',
          { command: run, description: 'Run it' },
          code === undefined && background !== true
            ? null
            : `Command: ${run}\nDirectory: (root)\nOutput: ${output === '' ? '(empty)' : output}\nError: (none)\nExit Code: ${background === true ? '(none)' : code}\nSignal: (none)\nBackground PIDs: ${background === true ? '77' : '(none)'}\nProcess Group PGID: 26593`,
        );
    } else if ('read' in step) call('read_file', { absolute_path: `${folder}/${step.read}` }, step.output);
    else if ('edit' in step)
      call(
        'replace',
        { file_path: `${folder}/${step.edit}`, old_string: 'a', new_string: 'b' },
        step.error ?? `Successfully modified file: ${folder}/${step.edit} (1 replacements).`,
        step.error === undefined ? 'success' : 'error',
      );
    else if ('tasks' in step)
      call(
        'write_todos',
        {
          todos: step.tasks.map(({ text, about, done, begun }) => ({
            description: about === undefined ? text : `${text}: ${about}`,
            status: done === true ? 'completed' : begun === true ? 'in_progress' : 'pending',
          })),
        },
        'Successfully updated the todo list.',
      );
    else if ('ask' in step)
      call(
        'ask_user',
        { questions: [{ question: step.ask, options: step.options.map((label) => ({ label })) }] },
        step.answer === undefined ? null : JSON.stringify({ answers: { '0': step.answer } }),
      );
    else if ('compacted' in step) add('user', `<state_snapshot>\n${step.compacted}\n</state_snapshot>`);
    else if ('web' in step) call('web_fetch', { prompt: step.web }, step.output);
    else call('codebase_investigator', { objective: step.subagent }, step.report);
  }
  return JSON.stringify({
    sessionId: `story-${leg}`,
    projectHash: 'abc',
    startTime: at(0),
    lastUpdated: at(messages.length),
    messages,
  });
}

/** Texts of a step that a successor does not need. */
export function unwanted(step: Step): string[] {
  if ('notice' in step) return [step.text];
  if ('agent' in step) return step.aside === true ? [step.agent] : [];
  if ('read' in step) return [step.output];
  return 'subagent' in step ? [step.subagent] : [];
}
