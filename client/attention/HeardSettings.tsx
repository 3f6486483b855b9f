import { AgentSelect } from '../agents/AgentSelect.tsx';
import { NotifyButton } from '../noticing/NotifyButton.tsx';
import { SettingsMenu } from '../ui/SettingsMenu.tsx';
import { formatExact } from '../ui/time.ts';
import { useNow } from '../ui/clock.ts';
import { heard, hearsAll, type Heard } from './heard.ts';
import { attentionKinds, attentionLooks } from './looks.ts';
import { ProjectField } from './ProjectField.tsx';

const hours = [1, 8, 24] as const;
const inHours = (count: number): number => Date.now() + count * 3_600_000;

/** What of the list the title, the badges and notifications are about; kept in this browser. */
export function HeardSettings() {
  const now = heard.use();
  const at = useNow();
  const isMuted = now.mutedUntil !== null && at < now.mutedUntil;
  const change = (part: Partial<Heard>): void => heard.set({ ...now, ...part });
  const toggle = (kind: Heard['without'][number], hears: boolean): void =>
    change({ without: attentionKinds.filter((each) => (each === kind ? !hears : now.without.includes(each))) });
  const isAll = JSON.stringify({ ...now, mutedUntil: null }) === JSON.stringify(hearsAll);
  return (
    <SettingsMenu word={isMuted ? 'Muted' : isAll ? 'Notices' : 'Notices: some'} icon={isMuted ? 'ban' : 'alert'}>
      <p className="soft small">The number in the title and on the icon, and notifications, in this browser.</p>
      <NotifyButton of="what needs attention" />
      <label>
        <span>Mute</span>
        <select
          className="select"
          value={isMuted ? 'muted' : ''}
          onChange={({ target }) => change({ mutedUntil: target.value === '' ? null : inHours(Number(target.value)) })}
        >
          <option value="">no</option>
          {isMuted && <option value="muted">until {formatExact(new Date(now.mutedUntil!).toISOString())}</option>}
          {hours.map((hour) => (
            <option key={hour} value={hour}>
              {hour === 1 ? 'for an hour' : `for ${hour} hours`}
            </option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend className="soft small">Kinds</legend>
        {attentionKinds.map((kind) => (
          <label key={kind}>
            <input
              type="checkbox"
              checked={!now.without.includes(kind)}
              onChange={({ target }) => toggle(kind, target.checked)}
            />{' '}
            {attentionLooks[kind].word}
          </label>
        ))}
      </fieldset>
      <AgentSelect label="Of agent" none="Every agent" value={now.agent} onChange={(agent) => change({ agent })} />
      <ProjectField value={now.project} onChange={(project) => change({ project })} />
    </SettingsMenu>
  );
}
