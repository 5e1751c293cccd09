const prefix = "svc.typed."

/** Where this tab keeps what is typed in a form of a Host's console. */
export const typedKey = (url: string, name: string): string => `${prefix}${url} ${name}`

/** Whoever signs out of a Host leaves nothing behind that was typed for it. */
export const forgetTyped = (url: string): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(typedKey(url, ""))) sessionStorage.removeItem(key)
}
