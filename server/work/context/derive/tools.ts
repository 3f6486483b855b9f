/** Tools that run a command. */
export const commandTool =
  /(^|[_.\-/])(bash|shell|sh|zsh|powershell|terminal|console|exec|execute|command|commands|cmd)([_.\-/]|$)/i;
/** Tools that write files. */
export const editTool =
  /^(write|edit|create|delete|patch|strreplace|editnotebook|multiedit|notebookedit|apply_patch|applypatch|replace|write_file|edit_file|create_file|write_to_file|replace_in_file|search_replace|insert_edit_into_file|str_replace_editor|str_replace_based_edit_tool)$/i;
/** Tools that ask for the output of a command in the background. */
export const pollTool = /^(write_stdin|TaskOutput|BashOutput|AgentOutputTool|KillShell|KillBash|TaskStop)$/;
/** Tools that give work to another agent: its report may say more than the agent then says. */
export const subagentTool = /^(task|agent|subagent)$|agent|investigator|researcher/i;
/** Tools that write the task list; their arguments repeat it. */
export const taskTool =
  /^(TodoWrite|TodoRead|todowrite|todoread|TaskCreate|TaskUpdate|TaskList|TaskGet|update_plan|todo_write|todo_read|write_todos)$/;
/** Tools that only read what a successor can read again, and those of the program itself. */
const otherTool =
  /^(Read|NotebookRead|Grep|Glob|LS|ToolSearch|Skill|SlashCommand|EnterPlanMode|view_image|read|list|read_file|read_many_files|list_directory|list_dir|search_file_content|grep_search|glob|grep|ls|view|web_search|skill|activate_skill|save_memory)$/;
/** Tools that bring pages of the web: long, and written by others. */
export const webTool =
  /^(websearch|webfetch|web_search|web_fetch|google_web_search|fetch|websearch_\w+|.*(?:web_?search|web_?fetch)\w*)$/i;
const ofBaton = /^(mcp__baton__|baton_|transfer_to_)/;

/** A tool whose last result says nothing that a prompt does not tell otherwise. */
export const isStandardTool = (name: string): boolean =>
  [commandTool, editTool, pollTool, taskTool, otherTool, ofBaton].some((pattern) => pattern.test(name));
