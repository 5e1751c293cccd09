import {type CapabilityKind, capabilityId} from "../../../shared/ids.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import type {Declared} from "../../messages/forms/declared.ts"
import type {Keyed} from "../checks/keys.ts"
import {readArguments} from "./checks.ts"
import type {Published, Publishing, Setup} from "./kind.ts"

interface Options<D, H, T> {
  /** Throws for an invalid definition. */
  readonly check: (what: string, definition: D, name: string) => void
  /** What the declaration lacks without its function; a handler when left out. */
  readonly needs?: string
  readonly publish: (each: Declared<D, H>, at: Publishing, name: string) => T
}

/** Declarations of `plugin.<kind>(name, definition, handle)`, by name. */
export const named = <D, H, T>(
  setup: Setup,
  kind: CapabilityKind & Keyed,
  {check, needs, publish}: Options<D, H, T>,
) => {
  const declared = new Map<string, Declared<D, H>>()
  return {
    declared,
    declare: (name: string, second: unknown, third?: unknown) => {
      const what = setup.begin(kind, name)
      const read = readArguments<D, H>(kind, what, second, third, needs)
      check(what, read.definition, name)
      setup.claim(what, kind, name, [kind])
      const added = {id: capabilityId(setup.owner, kind, name), ...read}
      declared.set(name, added)
      return added
    },
    publish: (at: Publishing): Published<T> => ({
      items: [...declared].map(([name, each]) => publish(each, at, name)),
      capabilities: [...declared].map(([name, {definition}]) => {
        const {description} = fieldsOf(definition)
        return {kind, name, description: typeof description === "string" ? description : undefined}
      }),
    }),
  }
}
