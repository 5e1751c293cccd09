import {type ProjectConfig, placeholderToken} from "../../shared/config/config.ts"
import {tokensOf} from "../project/settings.ts"
import {readTokenAges, type TokenAge} from "../project/token-ages.ts"
import {estimatedBits, tokenCommand, wantedBits, weaknessOf} from "../project/token-strength.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {error, type Finding, ok, warning} from "./finding.ts"

/** Checks that there is a token, and that none of the tokens can be guessed. */
export const checkToken = ({http}: ProjectConfig): readonly Finding[] => {
  const weak = tokensOf(http).flatMap(([key, token]) => {
    const why = whyGuessable(token)
    return why === undefined ? [] : [error("token", `${key} ${why}`, `Replace it with the output of: ${tokenCommand}`)]
  })
  if (weak.length > 0) return weak
  if (http.token !== undefined) return [ok("token", "http.token is set")]
  return [warning("token", "http.token is not set; production needs it", "Set http.token to ${HTTP_TOKEN}.")]
}

const whyGuessable = (token: string): string | undefined => {
  if (token === placeholderToken) return "is the example's placeholder"
  const weakness = weaknessOf(token)
  if (weakness !== undefined) return weakness
  const bits = estimatedBits(token)
  return bits < wantedBits ? `has at most ${bits} bits of entropy; it needs ${wantedBits}` : undefined
}

/** Reports how long the full tokens have been in use, and an expired previous one; `now` in milliseconds since 1970. */
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
  if (age.is === "unknown") return "has no known age: the next start begins to record it"
  if (age.is === "unused") return "is not in use yet: no Host has started with this value"
  const days = Math.max(0, Math.floor((now - age.since) / 86_400_000))
  const since = `has been in use since ${new Date(age.since).toISOString()} (${days} ${days === 1 ? "day" : "days"})`
  return age.mayBeOlder ? `${since} or longer: there is no earlier record` : since
}
