/** Returns the account or the room of an address, without the resource. */
export const bare = (jid: string): string => {
  const slash = jid.indexOf("/")
  return (slash < 0 ? jid : jid.slice(0, slash)).toLowerCase()
}

/** Returns the resource of an address, which is an occupant's nick; empty without one. */
export const resourceOf = (jid: string): string => {
  const slash = jid.indexOf("/")
  return slash < 0 ? "" : jid.slice(slash + 1)
}

export const localOf = (jid: string): string => {
  const at = jid.indexOf("@")
  return at < 0 ? "" : jid.slice(0, at)
}

export const domainOf = (jid: string): string => bare(jid).slice(jid.indexOf("@") + 1)

/** Returns svc's form of an address: lower case before the slash, because case does not matter there (RFC 7622). */
export const normal = (jid: string): string => {
  const resource = resourceOf(jid)
  return resource === "" ? bare(jid) : `${bare(jid)}/${resource}`
}

/** Whether messages can be sent to this address. */
export const isJid = (text: string): boolean => /^[^@/\s\0<>&"']+@[^@/\s\0<>&"']+(\/[^\0]{1,1023})?$/.test(text)
