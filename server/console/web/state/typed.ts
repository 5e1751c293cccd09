const prefix = "svc.typed."

/** Returns the storage key for the input of a form of one Host's console. */
export const typedKey = (url: string, name: string): string => `${prefix}${url} ${name}`

/** Deletes everything that was typed for a Host, when the user signs out. */
export const forgetTyped = (url: string): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(typedKey(url, ""))) sessionStorage.removeItem(key)
}
