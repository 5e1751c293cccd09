import {channelType, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {includesPermission, type Permission, type PermissionRule} from "../../../shared/sdk/session/permission.ts"

/** Returns what the sender of an event may do at the endpoint. */
export type PermissionOf = (endpoint: string, event: SatoriEvent) => Permission

/** Returns the index of the rule that decides about an event's sender at the endpoint; undefined if none matches. */
export type RuleOf = (endpoint: string, event: SatoriEvent) => number | undefined

/** Returns whether a user with permission `has` may use what needs `needs`. Everybody may use what needs none. */
export const mayUse = (has: Permission, needs: Permission | undefined): boolean =>
  needs === undefined || includesPermission(has, needs)

/** How an endpoint's platform compares ids. */
export interface IdRules {
  readonly ignoresCase: boolean
}

type Fold = (id: string) => string

/** Returns the permission from the rules. If none matches, the sender is `user`. */
export const permissionBy =
  (rules: readonly PermissionRule[], ruleOf: RuleOf): PermissionOf =>
  (endpoint, event) => {
    const index = ruleOf(endpoint, event)
    return index === undefined ? "user" : (rules[index]?.permission ?? "user")
  }

/**
 * Reads the rules for each endpoint; the first matching rule counts. A `channel` matches only shared channels, because
 * the id of a direct conversation may be a name that anybody can take.
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
  // An event may exist longer than its endpoint.
  return (endpoint, event) =>
    event.user === undefined ? undefined : (read.get(endpoint) ?? readFor(endpoint))(endpoint, event)
}

const testOf = (rule: PermissionRule, fold: Fold): ((event: SatoriEvent) => boolean) => {
  const wanted = [
    {id: rule.channel, of: groupOf},
    {id: rule.user, of: (event: SatoriEvent) => event.user?.id},
    {id: rule.account, of: (event: SatoriEvent) => event.user?.account},
    {id: rule.role, of: (event: SatoriEvent) => event.user?.roles},
  ].flatMap(({id, of}) => (id === undefined ? [] : [{id: fold(id), of}]))
  return event => wanted.every(({id, of}) => [of(event) ?? []].flat().some(actual => fold(actual) === id))
}

/** Returns the channel of an event if it is a shared one. */
export const groupOf = ({channel}: Pick<SatoriEvent, "channel">) =>
  channel?.type === channelType.direct ? undefined : channel?.id

/** Returns how an endpoint's ids are normalized for comparison. */
export const foldOf = (rules: IdRules | undefined): Fold => (rules?.ignoresCase === true ? lowerCase : id => id)

const lowerCase: Fold = id => id.replace(/[A-Z]/g, letter => letter.toLowerCase())
