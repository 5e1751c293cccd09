const key = "svc.theme"
export const themes = ["auto", "light", "dark"] as const
export type Theme = (typeof themes)[number]

/** Light, dark, or the system's theme. */
export class ThemeChoice {
  value = $state<Theme>(themes.find(theme => theme === localStorage.getItem(key)) ?? "auto")

  constructor() {
    this.#apply()
  }

  choose(theme: Theme): void {
    this.value = theme
    localStorage.setItem(key, theme)
    this.#apply()
  }

  #apply(): void {
    document.documentElement.dataset.theme = this.value
  }
}
