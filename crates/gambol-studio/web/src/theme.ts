import { computed, effect, signal } from '@preact/signals'
import type { Theme } from './stage'

const KEY = 'gambol.theme'
const system = matchMedia('(prefers-color-scheme: dark)')

const systemDark = signal(system.matches)
system.addEventListener('change', () => { systemDark.value = system.matches })

const stored = localStorage.getItem(KEY)
/** The user's own wish; null follows the system. */
const wish = signal<Theme | null>(stored === 'light' || stored === 'dark' ? stored : null)

export const theme = computed<Theme>(() => wish.value ?? (systemDark.value ? 'dark' : 'light'))

effect(() => { document.documentElement.dataset['theme'] = theme.value })

export function switchTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  // The system's own choice needs no wish, and then follows it again.
  wish.value = next === (systemDark.value ? 'dark' : 'light') ? null : next
  if (wish.value) localStorage.setItem(KEY, wish.value)
  else localStorage.removeItem(KEY)
}
