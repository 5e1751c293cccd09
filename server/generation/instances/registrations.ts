import type {PluginPath} from "../../../shared/ids.ts"
import {actions} from "../kinds/action.ts"
import {adapters} from "../kinds/adapter/adapter.ts"
import {commands} from "../kinds/command.ts"
import {forms} from "../kinds/form.ts"
import {handlers} from "../kinds/handler.ts"
import {hears} from "../kinds/hears/hears.ts"
import {jobs} from "../kinds/job.ts"
import {type Declarations, type Publishing, Setup} from "../kinds/kind.ts"
import {middleware} from "../kinds/middleware.ts"
import {migrations} from "../kinds/migration.ts"
import {pages} from "../kinds/page.ts"
import {prompts} from "../kinds/prompt.ts"
import {routes} from "../kinds/route.ts"
import {services} from "../kinds/service.ts"
import {starts} from "../kinds/start.ts"
import {states} from "../kinds/state.ts"
import {texts} from "../kinds/texts.ts"
import {timers} from "../kinds/timer.ts"
import {tools} from "../kinds/tool.ts"
import {webhooks} from "../kinds/webhook/webhook.ts"

/** Every kind of declaration, in the order in which a plugin's capabilities are listed. */
const kinds = {
  commands,
  handlers,
  texts,
  hears,
  middleware,
  prompts,
  actions,
  forms,
  timers,
  jobs,
  tools,
  services,
  adapters,
  webhooks,
  routes,
  pages,
  states,
  migrations,
  starts,
}

type Kinds = {readonly [K in keyof typeof kinds]: ReturnType<(typeof kinds)[K]>}
type Both<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never

type AnyDeclarations = Declarations<object, unknown, unknown>

/** The declarations of one `setup`, by kind. */
export type Registrations = {readonly [K in keyof Kinds]: Kinds[K]["declared"]}

/** What one instance publishes, by kind. */
export type Published = {readonly [K in keyof Kinds]: ReturnType<Kinds[K]["publish"]>}

/** Returns an object with the same keys as `all`. `R` says what `of` returns for each key. */
const mapKinds = <R>(all: object, of: (value: never, kind: keyof Kinds) => unknown): R =>
  Object.fromEntries(Object.entries(all).map(([kind, value]) => [kind, of(value as never, kind as keyof Kinds)])) as R

/** Collects the declarations of `setup`. Declarations after its end throw. */
export const collectRegistrations = (owner: PluginPath) => {
  const setup = new Setup(owner)
  const collected = mapKinds<Kinds>(kinds, (open: (setup: Setup) => unknown) => open(setup))
  const registrations = mapKinds<Registrations>(collected, ({declared}: AnyDeclarations) => declared)
  const methods = Object.values(collected).map(each => each.methods)
  return {
    declaring: Object.assign({}, ...methods) as Both<Kinds[keyof Kinds]["methods"]>,
    /** Completes the declarations after `close`. Rejects if one is invalid. */
    finish: async () => {
      for (const each of Object.values<AnyDeclarations>(collected)) await each.finish?.()
    },
    /** Returns notes for people, kind by kind. `place` says where an error was thrown. */
    notes: (place: (error: Error) => string) =>
      Object.values<AnyDeclarations>(collected).flatMap(each => each.notes?.(place) ?? []),
    publish: (at: Publishing) => mapKinds<Published>(collected, (each: AnyDeclarations) => each.publish(at)),
    close: () => {
      setup.end()
      return registrations
    },
  }
}

export const joinPublished = (all: readonly Published[]): {readonly [K in keyof Kinds]: Published[K]["items"]} =>
  mapKinds(kinds, (_, kind) => all.flatMap((published): readonly unknown[] => published[kind].items))
