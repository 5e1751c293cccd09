import {randomBytes} from "node:crypto"
import type {ProjectConfig} from "../../shared/config/config.ts"
import {toJson} from "../../shared/json.ts"
import {type Static, Type} from "../../shared/type.ts"
import {fits} from "../config/check.ts"
import {readJsonIfExists, sha256Of, writeFileAtomic} from "../runtime/files.ts"
import type {ProjectPaths} from "../runtime/project.ts"

/** `.svc/token-ages.json` (0600): when each token was first seen, without the tokens. No checkpoint contains it. */
const TokenRecord = Type.Object({
  schema: Type.Literal("svc.token-ages/1"),
  /** Random per project, so that equal tokens of two projects have different hashes. */
  salt: Type.String(),
  /** The newest comes last. */
  tokens: Type.Array(
    Type.Object({
      /** SHA-256 of salt and token, in hexadecimal. */
      hash: Type.String(),
      firstSeen: Type.String({format: "date-time"}),
      /** Whether the token may be older, because there was no earlier record. */
      mayBeOlder: Type.Boolean(),
    }),
  ),
})
type TokenRecord = Static<typeof TokenRecord>

/** How many tokens the record keeps, so that a reused token keeps its age. */
const remembered = 10

/** The age of a token; `unused` if no Host has started with it since the record began. */
export type TokenAge = {is: "known"; since: number; mayBeOlder: boolean} | {is: "unused"} | {is: "unknown"}

type Tokens = Pick<ProjectConfig["http"], "token" | "previousToken">

const read = async (paths: ProjectPaths): Promise<TokenRecord | undefined> => {
  const found = await readJsonIfExists(paths.tokenAges)
  return fits(TokenRecord, found) ? (found as TokenRecord) : undefined
}

const hashOf = (salt: string, token: string): string => sha256Of(`${salt}${token}`)

const valuesOf = ({token, previousToken}: Tokens): readonly string[] =>
  [previousToken?.token, token].flatMap(each => (each === undefined ? [] : [each.reveal()]))

/** Records that these tokens are in use; `now` in milliseconds since 1970. Throws `state_unwritable`. */
export const noteTokens = async (paths: ProjectPaths, tokens: Tokens, now: number): Promise<void> => {
  const values = valuesOf(tokens)
  if (values.length === 0) return
  const before = await read(paths)
  const salt = before?.salt ?? randomBytes(16).toString("hex")
  const known = before?.tokens ?? []
  const fresh = values
    .map(value => hashOf(salt, value))
    .filter(hash => known.every(each => each.hash !== hash))
    .map(hash => ({hash, firstSeen: new Date(now).toISOString(), mayBeOlder: before === undefined}))
  if (fresh.length === 0) return
  const after: TokenRecord = {schema: "svc.token-ages/1", salt, tokens: [...known, ...fresh].slice(-remembered)}
  await writeFileAtomic(paths.tokenAges, `${toJson(after)}\n`)
}

/** Resolves to a function for the age of a token. Without a readable record all ages are `unknown`. */
export const readTokenAges = async (paths: ProjectPaths): Promise<(token: string) => TokenAge> => {
  const record = await read(paths).catch(() => undefined)
  return token => {
    if (record === undefined) return {is: "unknown"}
    const hash = hashOf(record.salt, token)
    const found = record.tokens.find(each => each.hash === hash)
    if (found === undefined) return {is: "unused"}
    return {is: "known", since: Date.parse(found.firstSeen), mayBeOlder: found.mayBeOlder}
  }
}
