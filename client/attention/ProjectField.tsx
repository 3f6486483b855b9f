/** A project, taken when the field is left or Enter is pressed. */
export function ProjectField({ value, onChange }: { value: string; onChange: (project: string) => void }) {
  const take = (next: string): void => {
    if (next !== value) onChange(next);
  };
  return (
    <label key={value}>
      <span className="hidden">Project</span>
      <input
        type="search"
        className="input"
        placeholder="Any project"
        defaultValue={value}
        onBlur={({ target }) => take(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && take(currentTarget.value)}
      />
    </label>
  );
}
