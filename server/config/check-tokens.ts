import type {ProjectConfig} from "../../shared/config.ts"
import type {Issue} from "../../shared/problems.ts"
import type {Source} from "./source.ts"

/** Requires different tokens, and for a previous token also a new one and a valid end. */
export const checkTokens = (source: Source, {token, previousToken, demoToken}: ProjectConfig["http"]): Issue[] => {
  const issues: Issue[] = []
  const demo = demoToken?.reveal()
  if (token !== undefined && token.reveal() === demo) {
    issues.push(source.issue(["http", "demoToken"], "is the same as http.token; give observers a different token"))
  }
  if (previousToken === undefined) return issues
  const previous = previousToken.token.reveal()
  const refuse = (key: string, message: string) =>
    void issues.push(source.issue(["http", "previousToken", key], message))
  if (token === undefined) refuse("token", "needs the new token in http.token as well")
  if (token?.reveal() === previous) {
    refuse("token", "is the same as http.token; set http.token to the new token and this key to the old one")
  }
  if (demo === previous) refuse("token", "is the same as http.demoToken, whose holders would get the full scope")
  if (Number.isNaN(Date.parse(previousToken.until))) refuse("until", "is not a valid date and time")
  return issues
}
