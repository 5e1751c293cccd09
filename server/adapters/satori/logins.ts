import {refused} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import type {ServerLogin} from "./protocol.ts"

export const nameOf = ({platform, user}: ServerLogin): string => `${platform} ${user.id}`

const namesOf = (logins: readonly ServerLogin[]): string =>
  logins.length === 0 ? "none" : logins.map(nameOf).join(", ")

/**
 * Returns the login that the account names. Throws an error if there is none, because that may change. Throws a refusal
 * if several match.
 */
export const chooseLogin = (
  logins: readonly ServerLogin[],
  {platform, user}: Pick<AccountSettings, "platform" | "user">,
): ServerLogin => {
  const [found, ...more] = logins.filter(
    login => (platform ?? login.platform) === login.platform && (user ?? login.user.id) === login.user.id,
  )
  if (found === undefined) {
    const wanted = [platform, user].filter(each => each !== undefined).join(" ")
    throw new Error(`the server has no login${wanted === "" ? "" : ` ${wanted}`}; it has: ${namesOf(logins)}`)
  }
  if (more.some(login => nameOf(login) !== nameOf(found))) {
    throw refused(`the account matches several logins of the server: ${namesOf([found, ...more])}`, {
      reason: "login_ambiguous",
      remediation:
        "Set platform and user in the account to one of them. Create an endpoint for each login that you need.",
    })
  }
  return found
}
