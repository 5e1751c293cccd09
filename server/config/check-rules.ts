import type {Issue} from "../../shared/problems.ts"
import type {PermissionRule} from "../../shared/sdk/permission.ts"
import type {Source} from "./source.ts"

const selectors = ["channel", "user", "account"] as const

/**
 * Checks the rules of `permissions` without knowing the endpoints: rules that allow more than intended, and rules that
 * never apply.
 */
export const checkRules = (source: Source, rules: readonly PermissionRule[]): Issue[] =>
  rules.flatMap((rule, index) => {
    const at = ["permissions", index]
    const issues: Issue[] = []
    const given = selectors.filter(key => rule[key] !== undefined)
    if (rule.endpoint === "*" && rule.permission !== "user" && given.length > 0) {
      const message = `expected one endpoint together with ${given.join(" and ")}: elsewhere the same id belongs to somebody else`
      issues.push(source.issue([...at, "endpoint"], message))
    }
    const earlier = rules.slice(0, index).findIndex(other => covers(other, rule))
    if (earlier >= 0) {
      issues.push(
        source.issue(at, `is never reached: permissions[${earlier}] already matches everything that this rule matches`),
      )
    }
    return issues
  })

/** Does `first` match everything that `second` matches? */
const covers = (first: PermissionRule, second: PermissionRule): boolean =>
  (first.endpoint === "*" || first.endpoint === second.endpoint) &&
  selectors.every(key => first[key] === undefined || first[key] === second[key])
