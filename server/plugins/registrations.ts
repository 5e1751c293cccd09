import type {OptionDefinition} from "../../shared/command.ts"
import {capabilityId, type PluginPath} from "../../shared/ids.ts"
import type {
  AdapterDefinition,
  CommandDefinition,
  Plugin,
  PluginMigration,
  PluginRoute,
  Reply,
  Session,
} from "../../shared/plugin.ts"
import type {TSchema} from "../../shared/type.ts"

/** A command as `setup` declared it, before its pattern is read. */
export interface DeclaredCommand {
  readonly pattern: string
  readonly definition: CommandDefinition<Record<string, OptionDefinition>>
  readonly handle: (call: never) => Reply
}

export interface DeclaredHandler {
  readonly id: string
  readonly type: string
  readonly handle: (session: Session) => Reply
}

/** What one `setup` declared. */
export interface Registrations {
  readonly commands: readonly DeclaredCommand[]
  readonly handlers: readonly DeclaredHandler[]
  readonly adapters: ReadonlyMap<string, AdapterDefinition<TSchema>>
  readonly routes: readonly PluginRoute[]
  readonly migrations: readonly PluginMigration[]
}

type Declaring = Pick<Plugin, "command" | "on" | "adapter" | "route"> & {migrate: Plugin["database"]["migrate"]}

/** Collects what `setup` declares; once it has ended, a late declaration throws. */
export const collectRegistrations = (owner: PluginPath) => {
  const commands: DeclaredCommand[] = []
  const handlers: DeclaredHandler[] = []
  const adapters = new Map<string, AdapterDefinition<TSchema>>()
  const routes: PluginRoute[] = []
  const migrations: PluginMigration[] = []
  let open = true
  const declare = (what: string) => {
    if (!open) throw new Error(`${what} belongs into setup; it was called after setup had ended`)
  }
  const declaring: Declaring = {
    command: (pattern: string, second: unknown, third?: unknown) => {
      declare("command()")
      const [definition, handle] = third === undefined ? [{}, second] : [second, third]
      if (typeof handle !== "function") throw new TypeError(`command("${pattern}") needs a handler`)
      commands.push({pattern, definition: definition as DeclaredCommand["definition"], handle: handle as never})
    },
    on: (type, handle) => {
      declare("on()")
      if (typeof handle !== "function") throw new TypeError(`on("${type}") needs a handler`)
      const ordinal = handlers.filter(handler => handler.type === type).length
      handlers.push({id: capabilityId(owner, "handler", `${type}.${ordinal}`), type, handle})
    },
    adapter: (slot, adapter) => {
      declare("adapter()")
      if (adapters.has(slot)) throw new Error(`adapter("${slot}") is declared twice`)
      if (typeof adapter.open !== "function") throw new TypeError(`adapter("${slot}") needs open()`)
      adapters.set(slot, adapter as unknown as AdapterDefinition<TSchema>)
    },
    route: route => {
      declare("route()")
      if (!route.path.startsWith("/")) throw new Error(`route("${route.path}"): the path begins with /`)
      routes.push(route)
    },
    migrate: added => {
      declare("database.migrate()")
      migrations.push(...added)
    },
  }
  const collected: Registrations = {commands, handlers, adapters, routes, migrations}
  return {
    declaring,
    close: () => {
      open = false
      return collected
    },
  }
}
