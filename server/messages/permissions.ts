import {includesPermission, type Permission, type PermissionRule} from "../../shared/sdk/permission.ts"
import {channelType, type SatoriEvent} from "../../shared/sdk/satori.ts"

/** What the sender of an event may do where it came in. */
export type PermissionOf = (endpoint: string, event: SatoriEvent) => Permission

/** Which rule decides about the sender of an event where it came in, by its place; undefined where none fits. */
export type RuleOf = (endpoint: string, event: SatoriEvent) => number | undefined

/** May somebody who has a permission use what needs another? What needs none, everybody may. */
export const mayUse = (has: Permission, needs: Permission | undefined): boolean =>
  needs === undefined || includesPermission(has, needs)

/** How an endpoint's platform tells one id from another. */
export interface IdRules {
  readonly ignoresCase: boolean
}

type Fold = (id: string) => string

/** What the rules give: where none fits, the sender is `user`. */
export const permissionBy =
  (rules: readonly PermissionRule[], ruleOf: RuleOf): PermissionOf =>
  (endpoint, event) => {
    const index = ruleOf(endpoint, event)
    return index === undefined ? "user" : (rules[index]?.permission ?? "user")
  }

/** `permissionBy` the rules themselves. */
export const readPermissions = (
  rules: readonly PermissionRule[],
  endpoints: ReadonlyMap<string, IdRules>,
): PermissionOf => permissionBy(rules, readRules(rules, endpoints))

/**
 * Reads the rules for each endpoint: the first one that fits counts. A `channel` is one with others: the id of a direct conversation
 * may be a name that anybody takes.
 */
export const readRules = (rules: readonly PermissionRule[], endpoints: ReadonlyMap<string, IdRules>): RuleOf => {
  const read = new Map<string, RuleOf>()
  const readFor = (endpoint: string): RuleOf => {
    const fold = foldOf(endpoints.get(endpoint))
    const own = rules
      .map((rule, index) => ({rule, index}))
      .filter(({rule}) => rule.endpoint === "*" || rule.endpoint === endpoint)
      .map(({rule, index}) => ({index, fits: testOf(rule, fold)}))
    return (_, event) => own.find(({fits}) => fits(event))?.index
  }
  for (const endpoint of endpoints.keys()) read.set(endpoint, readFor(endpoint))
  // An event may outlive its endpoint.
  return (endpoint, event) =>
    event.user === undefined ? undefined : (read.get(endpoint) ?? readFor(endpoint))(endpoint, event)
}

const testOf = (rule: PermissionRule, fold: Fold): ((event: SatoriEvent) => boolean) => {
  const wanted = [
    {id: rule.channel, of: groupOf},
    {id: rule.user, of: (event: SatoriEvent) => event.user?.id},
    {id: rule.account, of: (event: SatoriEvent) => event.user?.account},
  ].flatMap(({id, of}) => (id === undefined ? [] : [{id: fold(id), of}]))
  return event =>
    wanted.every(({id, of}) => {
      const actual = of(event)
      return actual !== undefined && fold(actual) === id
    })
}

/** The channel of an event, where it is one with others. */
export const groupOf = ({channel}: Pick<SatoriEvent, "channel">) =>
  channel?.type === channelType.direct ? undefined : channel?.id

/** Ids of an endpoint as they are compared. */
export const foldOf = (rules: IdRules | undefined): Fold => (rules?.ignoresCase === true ? lowerCase : identity)

const identity: Fold = id => id
const lowerCase: Fold = id => id.replace(/[A-Z]/g, letter => letter.toLowerCase())
