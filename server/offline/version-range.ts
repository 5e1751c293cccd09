type Version = readonly [major: number, minor: number, patch: number]

/**
 * Is a version within a range as `engines` of package.json has it: comparators, `^`, `~`, `x`, hyphens and `||`? Undefined
 * for a range that this does not read. Pre-releases count as the release.
 */
export const isWithin = (version: string, range: string): boolean | undefined => {
  const own = exact(version)
  if (own === undefined) return undefined
  const found = range.split("||").map(part => isWithinAll(own, part.trim()))
  return found.includes(undefined) ? undefined : found.includes(true)
}

const isWithinAll = (own: Version, part: string): boolean | undefined => {
  const hyphen = /^(\S+)\s+-\s+(\S+)$/.exec(part)
  const text = hyphen === null ? part : `>=${hyphen[1]} <=${hyphen[2]}`
  const comparators = text
    .replace(/([<>=^~]+)\s+/g, "$1")
    .split(/\s+/)
    .filter(each => each !== "")
  const found = comparators.map(each => compares(own, each))
  return found.includes(undefined) ? undefined : !found.includes(false)
}

const compares = (own: Version, comparator: string): boolean | undefined => {
  const [, sign = "", text = ""] = /^(>=|<=|>|<|=|\^|~)?(.*)$/.exec(comparator) ?? []
  if (/^[x*]$/i.test(text)) return true
  const given = partial(text)
  if (given === undefined) return undefined
  const from = filled(given)
  const isFrom = order(own, from) >= 0
  switch (sign) {
    case ">=":
      return isFrom
    case "<":
      return !isFrom
    case ">":
      return given.length === 3 ? order(own, from) > 0 : order(own, above(given)) >= 0
    case "<=":
      return given.length === 3 ? order(own, from) <= 0 : order(own, above(given)) < 0
    case "^":
      return isFrom && order(own, above(given.slice(0, caretLength(given)))) < 0
    case "~":
      return isFrom && order(own, above(given.slice(0, 2))) < 0
    default:
      return isFrom && order(own, above(given)) < 0
  }
}

/** Up to the first number that is not 0. */
const caretLength = (given: readonly number[]): number => {
  const first = given.findIndex(number => number > 0)
  return first === -1 ? given.length : first + 1
}

/** The first version that is over all that begin like this. */
const above = (given: readonly number[]): Version => filled([...given.slice(0, -1), (given.at(-1) ?? 0) + 1])

const filled = ([major = 0, minor = 0, patch = 0]: readonly number[]): Version => [major, minor, patch]

const order = (one: Version, other: Version): number => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]

const exact = (text: string): Version | undefined => {
  const numbers = partial(text)
  return numbers?.length === 3 ? filled(numbers) : undefined
}

/** The numbers before the first `x`, one at least. */
const partial = (text: string): readonly number[] | undefined => {
  const [, ...parts] = /^v?(\d+)(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:[-+].*)?$/.exec(text) ?? []
  const end = parts.findIndex(part => part === undefined || !/^\d+$/.test(part))
  const numbers = (end === -1 ? parts : parts.slice(0, end)).map(Number)
  return numbers.length === 0 ? undefined : numbers
}
