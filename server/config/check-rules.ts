import {toJson} from "../../shared/json.ts"
import type {Issue} from "../../shared/problems.ts"
import type {PermissionRule} from "../../shared/sdk/session/permission.ts"
import {formatPath, type Path} from "../runtime/text/path.ts"
import type {Source} from "./text/source.ts"

const selectors = ["channel", "user", "account", "role"] as const

/** What a rule matches, key by key; undefined matches everything. */
type Matches = readonly (string | undefined)[]

/** Returns for each rule the index of the first that matches everything that it matches: its own, if no earlier does. */
const firstCovering = (rules: readonly Matches[]): readonly number[] => {
  const first = new Map<string, number>()
  return rules.map((rule, index) => {
    const wider = rule.reduce<readonly Matches[]>(
      (all, value) => all.flatMap(each => [...new Set([value, undefined])].map(part => [...each, part])),
      [[]],
    )
    const keys = wider.map(each => toJson(each))
    const [own = ""] = keys
    if (!first.has(own)) first.set(own, index)
    return Math.min(...keys.map(key => first.get(key) ?? index))
  })
}

/** Returns the endpoint of a rule; undefined if it is for every endpoint. */
export const oneEndpoint = ({endpoint}: {readonly endpoint: string}): string | undefined =>
  endpoint === "*" ? undefined : endpoint

/** Returns an issue for each rule that is never reached. `at` is the path of the rules. */
export const findCovered = (source: Source, at: Path, rules: readonly Matches[]): Issue[] =>
  firstCovering(rules).flatMap((earlier, index) => {
    const by = formatPath([...at, earlier])
    const message = `is never reached: ${by} already matches everything that this rule matches`
    return earlier === index ? [] : [source.issue([...at, index], message)]
  })

/** Checks `permissions` without knowing the endpoints: rules that allow more than intended, or that never apply. */
export const checkRules = (source: Source, rules: readonly PermissionRule[]): Issue[] => [
  ...rules.flatMap((rule, index) => {
    const given = selectors.filter(key => rule[key] !== undefined)
    if (rule.endpoint !== "*" || rule.permission === "user" || given.length === 0) return []
    const message = `expected one endpoint together with ${given.join(" and ")}: elsewhere the same id belongs to somebody else`
    return [source.issue(["permissions", index, "endpoint"], message)]
  }),
  ...findCovered(
    source,
    ["permissions"],
    rules.map(rule => [oneEndpoint(rule), ...selectors.map(key => rule[key])]),
  ),
]
