import { Icon, type IconName } from '../ui/Icon.tsx';
import { themes, useTheme, type Theme } from './theme.ts';

const icons: Record<Theme, IconName> = { system: 'screen', light: 'sun', dark: 'moon' };

/** One button that cycles through system, light and dark. */
export function ThemeToggle() {
  const [theme, setTheme] = useTheme();
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <button
      type="button"
      className="button quiet small"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme}`}
      onClick={() => setTheme(next)}
    >
      <Icon name={icons[theme]} />
    </button>
  );
}
