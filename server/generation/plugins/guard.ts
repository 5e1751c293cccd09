import {oncePer} from "../../runtime/flow/remember.ts"

/** Runs a call as the provider's code. Throws if the provider has ended. */
type Call = <T>(work: () => T) => T

type Method = (...args: never[]) => unknown

const isMethod = (value: unknown): value is Method => typeof value === "function"

/**
 * Returns a service as its users receive it: each property is read, and each method runs, through `call`. Users cannot
 * change it. What a method returns is the provider's own object.
 */
export const guardService = (implementation: object, call: Call): object => {
  const invoke = (method: Method, args: unknown[]) => call(() => Reflect.apply(method, implementation, args) as unknown)
  const guardMethod = oncePer((method: Method) => new Proxy(method, {apply: (_, __, args) => invoke(method, args)}))
  // Not the implementation itself: a frozen one would forbid the guarded methods.
  return new Proxy(isMethod(implementation) ? () => {} : Object.create(Object.getPrototypeOf(implementation)), {
    apply: (_, __, args) => (isMethod(implementation) ? invoke(implementation, args) : undefined),
    get: (_, key) => {
      const value: unknown = call(() => Reflect.get(implementation, key))
      return isMethod(value) ? guardMethod(value) : value
    },
    has: (_, key) => Reflect.has(implementation, key),
    ownKeys: () => Reflect.ownKeys(implementation),
    getOwnPropertyDescriptor: (_, key) => {
      const found = Reflect.getOwnPropertyDescriptor(implementation, key)
      return found && {...found, configurable: true}
    },
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  })
}
