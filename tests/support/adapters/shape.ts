import type {Exchange, Recording} from "../../../server/adapters/recording/recording.ts"

type Shape = ReadonlyMap<string, ReadonlySet<string>>

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "list" : typeof value)

/** Returns the types at each path of some JSON values. All items of a list are at one path. */
const shapeOf = (values: readonly unknown[]): Shape => {
  const shape = new Map<string, Set<string>>()
  const visit = (value: unknown, path: string): void => {
    shape.set(path, (shape.get(path) ?? new Set()).add(typeOf(value)))
    if (Array.isArray(value)) for (const item of value) visit(item, `${path}[]`)
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) visit(item, path === "" ? key : `${path}.${key}`)
  }
  for (const value of values) visit(value, "")
  return shape
}

const told = (types: ReadonlySet<string> | undefined): string =>
  types === undefined ? "none" : [...types].sort().join(" or ")

/** Lists the paths whose types differ, but nothing below a path that only one side has. */
const compare = (at: string, platform: Shape, fake: Shape): readonly string[] =>
  [...new Set([...platform.keys(), ...fake.keys()])].flatMap(path => {
    const parent = path.replace(/(\[\]|\.?[^.[\]]+)$/, "")
    const [one, other] = [told(platform.get(path)), told(fake.get(path))]
    const isBelow = path !== "" && platform.has(parent) !== fake.has(parent)
    return one === other || isBelow ? [] : [`${at} ${path}: the platform has ${one}, the fake ${other}`]
  })

/** The exchanges of each step and method, under their common name. */
const exchangesOf = ({steps}: Recording): ReadonlyMap<string, readonly Exchange[]> =>
  Map.groupBy(
    steps.flatMap(({step, exchanges}) => exchanges.map(exchange => ({...exchange, at: `${step} ${exchange.method}`}))),
    ({at}) => at,
  )

/**
 * Lists where the answers of a platform and of its fake to the same requests differ in their keys and types. A step that
 * was not done on both sides, and a request that only one side got, are left out.
 */
export const differencesOf = (platform: Recording, fake: Recording): readonly string[] => {
  const ofFake = exchangesOf(fake)
  return [...exchangesOf(platform)].flatMap(([at, exchanges]) => {
    const others = ofFake.get(at)
    if (others === undefined) return []
    const answers = (all: readonly Exchange[]) => shapeOf(all.map(({response}) => response))
    return compare(at, answers(exchanges), answers(others))
  })
}
