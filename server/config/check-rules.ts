import type {Issue} from "../../shared/problems.ts"
import type {PermissionRule} from "../../shared/sdk/permission.ts"
import type {Source} from "./source.ts"

const selectors = ["channel", "user", "account"] as const

/** What the rules of `permissions` say wrong without the endpoints being known: more than was meant, or nothing at all. */
export const checkRules = (source: Source, rules: readonly PermissionRule[]): Issue[] =>
  rules.flatMap((rule, index) => {
    const at = ["permissions", index]
    const issues: Issue[] = []
    const given = selectors.filter(key => rule[key] !== undefined)
    if (rule.endpoint === "*" && rule.permission !== "user" && given.length > 0) {
      const message = `expected one endpoint beside ${given.join(" and ")}: elsewhere the same id is somebody else's`
      issues.push(source.issue([...at, "endpoint"], message))
    }
    const earlier = rules.slice(0, index).findIndex(other => covers(other, rule))
    if (earlier >= 0) {
      issues.push(source.issue(at, `is never reached: permissions[${earlier}] fits wherever this one does`))
    }
    return issues
  })

/** Does `first` fit wherever `second` does? */
const covers = (first: PermissionRule, second: PermissionRule): boolean =>
  (first.endpoint === "*" || first.endpoint === second.endpoint) &&
  selectors.every(key => first[key] === undefined || first[key] === second[key])
