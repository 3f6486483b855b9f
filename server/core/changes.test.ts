import { describe, expect, it } from 'vitest';
import { Changes } from './changes.ts';

const tenure = (id: string) => ({ id, state: 'ACTIVE' as const });

describe('staged changes', () => {
  it('become one statement with one parameter for each kind of change', () => {
    const changes = new Changes();
    changes.change('agent_sessions', tenure('1'), { state: 'HANDED_OFF' });
    changes.change('agents', { id: 'a', currentLoad: 1 }, { currentLoad: 0 });
    changes.change('agents', { id: 'b', currentLoad: 0 }, { currentLoad: 1 });
    const { statement, values } = changes.toStatement();
    expect(values.map((value) => JSON.parse(value) as unknown)).toEqual([
      [{ id: '1', state: 'HANDED_OFF' }],
      [
        { id: 'a', current_load: 0 },
        { id: 'b', current_load: 1 },
      ],
    ]);
    expect(statement.text.match(/UPDATE/g)).toHaveLength(2);
  });

  it('insert into a table after its updates, so that a partial unique index accepts the row', () => {
    const changes = new Changes();
    changes.insert('agent_collaborators', { agentId: 'a', collaboratorId: 'b', position: 0, approval: 'NONE' });
    changes.clear('agent_collaborators', 'a');
    const { text } = changes.toStatement().statement;
    expect(text.indexOf('DELETE')).toBeLessThan(text.indexOf('INSERT'));
    expect(text).toMatch(/INSERT .* WHERE \(SELECT count\(\*\) FROM delete_agent_collaborators_0\) >= 0/);
  });

  it('write a later change of a new row into its insert', () => {
    const changes = new Changes();
    const row = changes.insert('tasks', {
      id: 't',
      sessionId: 's',
      position: 1,
      content: 'x',
      status: 'PENDING' as const,
      sequence: 0,
    });
    changes.change('tasks', row, { status: 'DONE' } as never);
    const { statement, values } = changes.toStatement();
    expect(statement.text).not.toContain('UPDATE');
    expect(JSON.parse(values[0]!)).toEqual([
      { id: 't', session_id: 's', position: 1, content: 'x', status: 'DONE', sequence: 0 },
    ]);
  });

  it('of the same shape use the same prepared statement', () => {
    const of = (id: string, load: number) => {
      const changes = new Changes();
      changes.change('agents', { id, currentLoad: 0 }, { currentLoad: load });
      return changes.toStatement().statement.name;
    };
    expect(of('a', 1)).toBe(of('b', 2));
  });
});
