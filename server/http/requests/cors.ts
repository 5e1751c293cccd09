const allowed = {
  "access-control-allow-methods": "GET, POST, PUT, DELETE",
  "access-control-allow-headers": "Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version",
  "access-control-max-age": "600",
} as const

/** Allows exact origins only; `null` is never allowed. */
export const createCors = (origins: readonly string[]) => {
  const isAllowed = (origin: string | null): origin is string => origin !== null && origins.includes(origin)
  return {
    /** The answer to a preflight request; undefined for any other request. */
    preflight: (request: Request): Response | undefined => {
      if (request.method !== "OPTIONS" || request.headers.get("access-control-request-method") === null)
        return undefined
      const origin = request.headers.get("origin")
      const headers = isAllowed(origin) ? {...allowed, "access-control-allow-origin": origin} : {}
      return new Response(null, {status: 204, headers: {...headers, vary: "Origin"}})
    },
    /** Lets an allowed origin's page read the response. */
    decorate: (request: Request, response: Response): Response => {
      const origin = request.headers.get("origin")
      if (isAllowed(origin)) {
        response.headers.set("access-control-allow-origin", origin)
        response.headers.set("access-control-expose-headers", "X-Request-Id, Retry-After")
      }
      return response
    },
  }
}
