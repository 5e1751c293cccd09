import type {Permission, PermissionRule} from "../../shared/sdk/permission.ts"
import {channelType, type SatoriEvent} from "../../shared/sdk/satori.ts"

/** What the sender of an event may do where it came in. */
export type PermissionOf = (endpoint: string, event: SatoriEvent) => Permission

/** How an endpoint's platform tells one id from another. */
export interface IdRules {
  readonly ignoresCase: boolean
}

type Fold = (id: string) => string

/**
 * Reads the rules for each endpoint: the first one that fits counts, and where none does, the sender is `user`. A
 * `channel` is one with others: the id of a direct conversation may be a name that anybody takes.
 */
export const readPermissions = (
  rules: readonly PermissionRule[],
  endpoints: ReadonlyMap<string, IdRules>,
): PermissionOf => {
  const read = new Map<string, PermissionOf>()
  const readFor = (endpoint: string): PermissionOf => {
    const fold = foldOf(endpoints.get(endpoint))
    const own = rules
      .filter(rule => rule.endpoint === "*" || rule.endpoint === endpoint)
      .map(rule => ({permission: rule.permission, fits: testOf(rule, fold)}))
    return (_, event) => own.find(({fits}) => fits(event))?.permission ?? "user"
  }
  for (const endpoint of endpoints.keys()) read.set(endpoint, readFor(endpoint))
  // An event may outlive its endpoint.
  return (endpoint, event) =>
    event.user === undefined ? "user" : (read.get(endpoint) ?? readFor(endpoint))(endpoint, event)
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
