import type {ProjectConfig} from "../../shared/config.ts"
import {placeholderToken} from "../../shared/config.ts"
import {readTokenAges, type TokenAge} from "../project/token-ages.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {error, type Finding, ok, warning} from "./finding.ts"

/** Shorter tokens can be guessed. */
const shortestToken = 16

/** Is there a token that nobody guesses? */
export const checkToken = ({http}: ProjectConfig): Finding => {
  const token = http.token?.reveal()
  if (token === undefined)
    return warning("token", "http.token is not set; production needs it", "Set http.token to ${HTTP_TOKEN}.")
  if (token === placeholderToken)
    return error("token", "HTTP_TOKEN is the example's placeholder", "Replace it, for example by: openssl rand -hex 32")
  if (token.length < shortestToken)
    return warning("token", "HTTP_TOKEN is short", "Use a longer one, for example of: openssl rand -hex 32")
  return ok("token", "http.token is set")
}

/** Since when the full tokens are in use, and whether the previous one can go; at a time in milliseconds since 1970. */
export const checkTokenAges = async (
  paths: ProjectPaths,
  {http: {token, previousToken}}: ProjectConfig,
  now: number,
): Promise<readonly Finding[]> => {
  const ageOf = await readTokenAges(paths)
  const findings: Finding[] = []
  if (token !== undefined) findings.push(ok("token age", `http.token ${describeAge(ageOf(token.reveal()), now)}`))
  if (previousToken === undefined) return findings
  const {until} = previousToken
  const age = `http.previousToken ${describeAge(ageOf(previousToken.token.reveal()), now)}`
  findings.push(
    Date.parse(until) > now
      ? ok("previous token", `${age}; accepted until ${until}`)
      : warning(
          "previous token",
          `${age}; it expired at ${until}, and the Host refuses it`,
          "Remove http.previousToken from svc.config.yml and run svc runtime reload, then remove its variable.",
        ),
  )
  return findings
}

const describeAge = (age: TokenAge, now: number): string => {
  if (age.is === "unknown") return "has no known age: no Host has recorded one; the next start does"
  if (age.is === "unused") return "is not in use yet: no Host has started with this value"
  const days = Math.max(0, Math.floor((now - age.since) / 86_400_000))
  const since = `has been in use since ${new Date(age.since).toISOString()} (${days} ${days === 1 ? "day" : "days"})`
  return age.mayBeOlder ? `${since} or longer: there is no earlier record` : since
}
