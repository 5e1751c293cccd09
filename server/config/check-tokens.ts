import type {ProjectConfig} from "../../shared/config.ts"
import type {Issue} from "../../shared/problems.ts"
import type {Source} from "./source.ts"

/** Each token is another one, and a previous token has a new one beside it and an end that a clock can reach. */
export const checkTokens = (source: Source, {token, previousToken, demoToken}: ProjectConfig["http"]): Issue[] => {
  const issues: Issue[] = []
  const demo = demoToken?.reveal()
  if (token !== undefined && token.reveal() === demo) {
    issues.push(source.issue(["http", "demoToken"], "is the same as http.token; give observers a token of their own"))
  }
  if (previousToken === undefined) return issues
  const previous = previousToken.token.reveal()
  const refuse = (key: string, message: string) =>
    void issues.push(source.issue(["http", "previousToken", key], message))
  if (token === undefined) refuse("token", "needs the new token beside it, in http.token")
  if (token?.reveal() === previous) {
    refuse("token", "is the same as http.token; give http.token a new value, and this one the value of before")
  }
  if (demo === previous) refuse("token", "is the same as http.demoToken, whose holders would get the full scope")
  if (Number.isNaN(Date.parse(previousToken.until))) refuse("until", "is no date and time that a clock can reach")
  return issues
}
