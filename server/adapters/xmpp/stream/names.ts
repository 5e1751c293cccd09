/** The namespaces of the adapter's protocols; XEPs are at https://xmpp.org/extensions/. */
export const ns = {
  stanzas: "urn:ietf:params:xml:ns:xmpp-stanzas",
  carbons: "urn:xmpp:carbons:2",
  chatStates: "http://jabber.org/protocol/chatstates",
  conference: "jabber:x:conference",
  correct: "urn:xmpp:message-correct:0",
  data: "jabber:x:data",
  delay: "urn:xmpp:delay",
  info: "http://jabber.org/protocol/disco#info",
  items: "http://jabber.org/protocol/disco#items",
  fallback: "urn:xmpp:fallback:0",
  fasten: "urn:xmpp:fasten:0",
  forward: "urn:xmpp:forward:0",
  hints: "urn:xmpp:hints",
  mam: "urn:xmpp:mam:2",
  moderate0: "urn:xmpp:message-moderate:0",
  moderate1: "urn:xmpp:message-moderate:1",
  muc: "http://jabber.org/protocol/muc",
  mucAdmin: "http://jabber.org/protocol/muc#admin",
  mucOwner: "http://jabber.org/protocol/muc#owner",
  mucUser: "http://jabber.org/protocol/muc#user",
  oob: "jabber:x:oob",
  ping: "urn:xmpp:ping",
  reactions: "urn:xmpp:reactions:0",
  reference: "urn:xmpp:reference:0",
  reply: "urn:xmpp:reply:0",
  retract0: "urn:xmpp:message-retract:0",
  retract1: "urn:xmpp:message-retract:1",
  rsm: "http://jabber.org/protocol/rsm",
  sid: "urn:xmpp:sid:0",
  styling: "urn:xmpp:styling:0",
  upload: "urn:xmpp:http:upload:0",
} as const

/**
 * Elements that mark a message as end-to-end encrypted: OMEMO in two versions, OpenPGP, and the announcement of either.
 */
export const encryptions = [
  ["encrypted", "eu.siacs.conversations.axolotl"],
  ["encrypted", "urn:xmpp:omemo:2"],
  ["openpgp", "urn:xmpp:openpgp:0"],
  ["x", "jabber:x:encrypted"],
  ["encryption", "urn:xmpp:eme:0"],
] as const
