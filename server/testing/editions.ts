import {Problem} from "../../shared/problems.ts"
import type {AnyPlugin, PluginDefinition} from "../../shared/sdk/plugin/plugin.ts"
import type {HostOptions} from "../host/open/host.ts"

type BuiltIns = NonNullable<HostOptions["plugins"]>
type BuiltIn = Awaited<ReturnType<BuiltIns[string]>>

/** The plugins of a bot under test, each in the version that the test last set. */
export class Editions {
  readonly #current: Map<string, BuiltIn>

  constructor(plugins: Readonly<Record<string, {readonly plugin?: AnyPlugin}>>) {
    this.#current = new Map(
      Object.entries(plugins).flatMap(([name, {plugin}]) =>
        plugin === undefined ? [] : [[name, {default: plugin as PluginDefinition, edition: 0}] as const],
      ),
    )
  }

  get builtIns(): BuiltIns {
    return Object.fromEntries([...this.#current.keys()].map(name => [name, async () => this.#of(name)]))
  }

  /** Sets the next version if `take` succeeds; otherwise keeps the previous one. */
  async replace(name: string, plugin: AnyPlugin, take: () => Promise<unknown>): Promise<void> {
    const before = this.#of(name)
    const edition = (before.edition ?? 0) + 1
    this.#current.set(name, {default: plugin as PluginDefinition, edition})
    try {
      await take()
    } catch (refusal) {
      this.#current.set(name, before)
      throw refusal
    }
  }

  #of(name: string): BuiltIn {
    const found = this.#current.get(name)
    if (found === undefined) throw new Problem("plugin_missing", `there is no plugin ${name} under test`)
    return found
  }
}
