import type {Instance} from "./instance.ts"

export interface SetUp {
  /** Instances whose `setup` failed; they are undone. */
  readonly failed: readonly {readonly instance: Instance; readonly error: unknown}[]
  /** Instances that were not set up, because a service that they use is missing. */
  readonly waiting: readonly Instance[]
}

/** Returns the provider of each service, by the service's name. */
export const providersIn = (instances: readonly Instance[]): ReadonlyMap<string, Instance> =>
  new Map(instances.flatMap(each => [...each.registrations.services.keys()].map(name => [name, each] as const)))

/** Sets up each of `fresh` once the services that it uses exist. `running` are already set up. */
export const setUpInOrder = async (
  running: readonly Instance[],
  fresh: readonly Instance[],
  signal?: AbortSignal,
): Promise<SetUp> => {
  const ready = [...running]
  const failed: SetUp["failed"][number][] = []
  let waiting = fresh
  for (;;) {
    const providers = providersIn(ready)
    const next = waiting.filter(({uses}) => [...uses.values()].every(name => providers.has(name)))
    if (next.length === 0) return {failed, waiting}
    waiting = waiting.filter(instance => !next.includes(instance))
    const results = await Promise.allSettled(next.map(instance => instance.setup(providers, signal)))
    for (const [index, instance] of next.entries()) {
      const result = results[index]
      if (result?.status === "rejected") failed.push({instance, error: result.reason})
      else ready.push(instance)
    }
  }
}

/** Returns the instances that use a service of `changed`, directly or through others. */
export const usersOf = (changed: Instance, instances: readonly Instance[]): readonly Instance[] => {
  const found = new Set([changed])
  for (let before = 0; before < found.size; ) {
    before = found.size
    for (const each of instances) if (each.providers.some(provider => found.has(provider))) found.add(each)
  }
  found.delete(changed)
  return [...found]
}

/** Returns the instances whose direct and indirect providers are all among them. */
export const withTheirProviders = (instances: readonly Instance[]): readonly Instance[] => {
  const kept = instances.filter(({providers}) => providers.every(provider => instances.includes(provider)))
  return kept.length === instances.length ? kept : withTheirProviders(kept)
}

/** Disposes each instance after those that use its services. Running work has `limit` milliseconds in total. */
export const disposeInOrder = async (instances: readonly Instance[], limit: number): Promise<void> => {
  const end = performance.now() + limit
  const disposals = new Map<Instance, Promise<void>>()
  const dispose = (instance: Instance): Promise<void> => {
    const users = instances.filter(({providers}) => providers.includes(instance))
    const disposal =
      disposals.get(instance) ??
      (users.length === 0
        ? instance.dispose(limit)
        : Promise.all(users.map(dispose)).then(() => instance.dispose(Math.max(0, end - performance.now()))))
    disposals.set(instance, disposal)
    return disposal
  }
  await Promise.all(instances.map(dispose))
}
