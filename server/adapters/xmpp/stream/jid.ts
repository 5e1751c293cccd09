/** The account or the room of an address: without its resource. */
export const bare = (jid: string): string => {
  const slash = jid.indexOf("/")
  return (slash < 0 ? jid : jid.slice(0, slash)).toLowerCase()
}

/** The resource of an address, which is the nick where it is an occupant's; empty without one. */
export const resourceOf = (jid: string): string => {
  const slash = jid.indexOf("/")
  return slash < 0 ? "" : jid.slice(slash + 1)
}

export const localOf = (jid: string): string => {
  const at = jid.indexOf("@")
  return at < 0 ? "" : jid.slice(0, at)
}

export const domainOf = (jid: string): string => bare(jid).slice(jid.indexOf("@") + 1)

/** In the form in which svc keeps it: capitals do not count before the slash (RFC 7622). */
export const normal = (jid: string): string => {
  const resource = resourceOf(jid)
  return resource === "" ? bare(jid) : `${bare(jid)}/${resource}`
}

/** Is it an address that a message can go to? */
export const isJid = (text: string): boolean => /^[^@/\s\0<>&"']+@[^@/\s\0<>&"']+(\/[^\0]{1,1023})?$/.test(text)
