import * as Radix from '@radix-ui/react-tooltip';
import { useContext, type ReactElement, type ReactNode } from 'react';
import { FloatContext } from './Dialog.tsx';
import styles from './Tooltip.module.css';

/** A tooltip for a focusable element: shown on hover and focus, can be hovered itself, closed by Escape. */
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

export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Radix.Provider delayDuration={250}>{children}</Radix.Provider>;
}
