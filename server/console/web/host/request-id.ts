/** Returns an id for a request. A page that was not loaded over TLS has no `randomUUID`. */
export const requestId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, "0")).join("")
