import * as Radix from '@radix-ui/react-tooltip';
import { useContext, type ReactElement, type ReactNode } from 'react';
import { FloatContext } from './Dialog.tsx';
import styles from './Tooltip.module.css';

/** Explains what can be focused: shown on hover and on focus, it can be pointed at, and Escape closes it. */
export function Tooltip({ content, children }: { content: ReactNode; children: ReactElement }) {
  const container = useContext(FloatContext);
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal container={container}>
        <Radix.Content className={styles.tooltip} sideOffset={6} collisionPadding={8}>
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Around everything that has tooltips. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Radix.Provider delayDuration={250}>{children}</Radix.Provider>;
}
