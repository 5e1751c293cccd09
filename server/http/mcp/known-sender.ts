import {Problem} from "../../../shared/problems.ts"
import {tryOr} from "../../../shared/try-or.ts"

export interface Known {
  /** `http.mcp`: the names of this Host. */
  readonly mcp: readonly string[]
  readonly corsOrigins: readonly string[]
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Throws `not_found` while MCP is off, and `forbidden` for a `Host` or an `Origin` that the configuration does not name:
 * a page whose name resolves to this machine must not reach it (DNS rebinding).
 */
export const requireKnownSender = ({headers}: Request, {mcp, corsOrigins}: Known): void => {
  if (mcp.length === 0) throw new Problem("not_found", "MCP is off on this Host", {hint: hintFor("http.mcp")})
  const host = (headers.get("host") ?? "").toLowerCase()
  const {hostname} = tryOr(() => new URL(`http://${host}`), {hostname: ""})
  if (!loopback.test(hostname) && !mcp.some(name => name.toLowerCase() === hostname))
    throw new Problem("forbidden", `http.mcp does not name the host ${host}`, {hint: hintFor("http.mcp")})
  const origin = headers.get("origin")
  if (origin === null || corsOrigins.includes(origin)) return
  if (tryOr(() => new URL(origin).host, undefined) === host) return
  const detail = `http.corsOrigins does not name the origin ${origin.slice(0, 200)}`
  throw new Problem("forbidden", detail, {hint: hintFor("http.corsOrigins")})
}

const hintFor = (key: string): string => `Add it to ${key} of svc.config.yml, then run svc runtime reload.`
