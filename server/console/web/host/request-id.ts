/** An id for a request. A page that did not come over TLS has no `randomUUID`. */
export const requestId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, "0")).join("")
