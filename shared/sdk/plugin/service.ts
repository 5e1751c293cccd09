/** Keeps `T` in the type. It has no value. */
declare const carried: unique symbol

/** The name of a service. Its type carries the service's type from the providing plugin to the plugins that use it. */
export interface Service<T extends object = object> {
  readonly name: string
  readonly [carried]?: T
}

/** The services that a plugin uses, by the key under which `setup` receives each. */
export type Uses = Readonly<Record<string, Service>>

/** The services that `setup` receives for `uses`. */
export type UsedServices<U extends Uses> = {readonly [K in keyof U]: U[K] extends Service<infer T> ? T : never}

const isName = (name: unknown): boolean => typeof name === "string" && /^[\w-]{1,64}$/.test(name)

/**
 * Names a service of type `T`: `export const clock = service<Clock>("clock")`, for `plugin.provide` and `uses`. Only
 * the name identifies it, so every plugin may have its own copy of this value. Throws if the name contains other
 * characters than letters, digits, _ and -.
 */
export const service = <T extends object>(name: string): Service<T> => {
  if (!isName(name)) throw new TypeError(`service("${name}"): 1 to 64 letters, digits, _ and - only`)
  return Object.freeze({name})
}

/** Throws if `uses` does not match its type, because plugins may be plain JavaScript. */
export const requireUses = (uses: unknown): void => {
  if (typeof uses !== "object" || uses === null) throw new TypeError('uses must be {key: service("name")}')
  for (const [key, used] of Object.entries(uses)) {
    if (!isName((used as Partial<Service> | null)?.name))
      throw new TypeError(`uses.${key} must be made by service("name")`)
  }
}
