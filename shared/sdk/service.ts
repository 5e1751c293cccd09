/** Keeps `T` in the type; no value has it. */
declare const carried: unique symbol

/** The name of a service. It carries the service's type from the plugin that provides it to those that use it. */
export interface Service<T extends object = object> {
  readonly name: string
  readonly [carried]?: T
}

/** The services that a plugin uses, by the key under which `setup` gets each. */
export type Uses = Readonly<Record<string, Service>>

/** What `setup` gets for `uses`. */
export type UsedServices<U extends Uses> = {readonly [K in keyof U]: U[K] extends Service<infer T> ? T : never}

const isName = (name: unknown): boolean => typeof name === "string" && /^[\w-]{1,64}$/.test(name)

/**
 * Names a service of type `T`: `export const clock = service<Clock>("clock")`, for `plugin.provide` and `uses`. The name
 * alone identifies it, so that every plugin may have its own copy of this value. Throws for a name that has other characters
 * than letters, digits, _ and -.
 */
export const service = <T extends object>(name: string): Service<T> => {
  if (!isName(name)) throw new TypeError(`service("${name}"): 1 to 64 letters, digits, _ and - only`)
  return Object.freeze({name})
}

/** Plugins are JavaScript as well: throws where `uses` is not what its type says. */
export const requireUses = (uses: unknown): void => {
  if (typeof uses !== "object" || uses === null) throw new TypeError('uses takes {key: service("name")}')
  for (const [key, used] of Object.entries(uses)) {
    if (!isName((used as Partial<Service> | null)?.name))
      throw new TypeError(`uses.${key} is not made by service("name")`)
  }
}
