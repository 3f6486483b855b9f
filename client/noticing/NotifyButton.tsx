import { useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { canNotify } from './notify.ts';
import { notifies } from './store.ts';

/** Asks the browser for permission when it is pressed, never before. */
export function NotifyButton({ of }: { of: string }) {
  const wanted = notifies.use();
  const [permission, setPermission] = useState(() => (canNotify() ? Notification.permission : null));
  if (permission === null) return null;
  const isOn = wanted && permission === 'granted';
  const press = async (): Promise<void> => {
    if (isOn) return notifies.set(false);
    const given = await Notification.requestPermission();
    setPermission(given);
    notifies.set(given === 'granted');
  };
  return (
    <>
      <button type="button" className="button" aria-pressed={isOn} onClick={() => void press()}>
        <Icon name={isOn ? 'check' : 'alert'} size={14} /> {isOn ? `Notifies of ${of}` : 'Notify me'}
      </button>
      <span role="status" className="small soft">
        {permission === 'denied' && 'The settings of this browser block notifications of this page.'}
      </span>
    </>
  );
}
