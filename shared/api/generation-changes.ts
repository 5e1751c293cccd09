/** What is compared of two generations. */
interface Compared {
  readonly plugins: readonly string[]
  /** A Host of an older version does not say. */
  readonly code?: Readonly<Record<string, string>>
}

/** How the plugins of a generation differ from those of another, by their names. */
export interface PluginChanges {
  readonly enabled: readonly string[]
  readonly disabled: readonly string[]
  /** Both have them, and their code differs. */
  readonly code: readonly string[]
}

export const pluginChanges = (from: Compared, to: Compared): PluginChanges => ({
  enabled: to.plugins.filter(name => !from.plugins.includes(name)),
  disabled: from.plugins.filter(name => !to.plugins.includes(name)),
  code: to.plugins.filter(name => from.plugins.includes(name) && from.code?.[name] !== to.code?.[name]),
})
