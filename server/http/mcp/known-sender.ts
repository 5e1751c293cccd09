import {Problem} from "../../../shared/problems.ts"
import {tryOr} from "../../../shared/try-or.ts"

export interface Known {
  /** `http.mcp`: the names of this Host. */
  readonly mcp: readonly string[]
  readonly corsOrigins: readonly string[]
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Throws `not_found` while MCP is off, and `origin_refused` for a `Host` or an `Origin` that the configuration does not name:
 * a page whose name resolves to this machine must not reach it (DNS rebinding).
 */
export const requireKnownSender = ({headers}: Request, {mcp, corsOrigins}: Known): void => {
  if (mcp.length === 0) throw new Problem("not_found", "MCP is off on this Host", {hint})
  const {host, hostname} = tryOr(() => new URL(`http://${headers.get("host")}`), {host: "", hostname: ""})
  if (!loopback.test(hostname) && !mcp.some(name => name.toLowerCase() === hostname))
    throw new Problem("origin_refused", `http.mcp does not name the host ${host}`)
  const origin = headers.get("origin")
  if (origin === null || corsOrigins.includes(origin)) return
  if (tryOr(() => new URL(origin).host, undefined) === host) return
  throw new Problem("origin_refused", `http.corsOrigins does not name the origin ${origin.slice(0, 200)}`)
}

const hint = "List the names of this Host in http.mcp of svc.config.yml, then run svc runtime reload."
