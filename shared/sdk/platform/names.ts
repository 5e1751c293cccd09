import type {OwnMethods} from "../adapter/own-methods.ts"

/**
 * The names of the methods that svc's adapters pass to their platforms, by kind (`OwnMethods`). Left out: what would
 * end the connection, shows a token, or needs the bytes of a file.
 */
const words = {
  telegram: {
    reads: `getAvailableGifts getBusinessAccountGifts getBusinessAccountStarBalance getBusinessConnection getChat
      getChatAdministrators getChatGifts getChatMember getChatMemberCount getChatMenuButton getCustomEmojiStickers
      getFile getForumTopicIconStickers getGameHighScores getManagedBotAccessSettings getMe getMyCommands
      getMyDefaultAdministratorRights getMyDescription getMyName getMyShortDescription getMyStarBalance
      getStarTransactions getStickerSet getUserChatBoosts getUserGifts getUserPersonalChatMessages getUserProfileAudios
      getUserProfilePhotos`,
    sets: `answerCallbackQuery answerChatJoinRequestQuery answerGuestQuery answerInlineQuery answerPreCheckoutQuery
      answerShippingQuery answerWebAppQuery approveChatJoinRequest approveSuggestedPost banChatMember banChatSenderChat
      closeForumTopic closeGeneralForumTopic declineChatJoinRequest declineSuggestedPost deleteAllMessageReactions
      deleteBusinessMessages deleteChatPhoto deleteChatStickerSet deleteEphemeralMessage deleteForumTopic deleteMessage
      deleteMessageReaction deleteMessages deleteMyCommands deleteStickerFromSet deleteStickerSet deleteStory
      editChatInviteLink editChatSubscriptionInviteLink editEphemeralMessageCaption editEphemeralMessageMedia
      editEphemeralMessageReplyMarkup editEphemeralMessageText editForumTopic editGeneralForumTopic editMessageCaption
      editMessageChecklist editMessageLiveLocation editMessageMedia editMessageReplyMarkup editMessageText
      editUserStarSubscription hideGeneralForumTopic leaveChat pinChatMessage promoteChatMember readBusinessMessage
      removeBusinessAccountProfilePhoto removeChatVerification removeMyProfilePhoto removeUserVerification
      reopenForumTopic reopenGeneralForumTopic restrictChatMember revokeChatInviteLink setBusinessAccountBio
      setBusinessAccountGiftSettings setBusinessAccountName setBusinessAccountUsername setChatAdministratorCustomTitle
      setChatDescription setChatMemberTag setChatMenuButton setChatPermissions setChatStickerSet setChatTitle
      setCustomEmojiStickerSetThumbnail setGameScore setManagedBotAccessSettings setMessageReaction setMyCommands
      setMyDefaultAdministratorRights setMyDescription setMyName setMyShortDescription setPassportDataErrors
      setStickerEmojiList setStickerKeywords setStickerMaskPosition setStickerPositionInSet setStickerSetThumbnail
      setStickerSetTitle setUserEmojiStatus stopMessageLiveLocation stopPoll unbanChatMember unbanChatSenderChat
      unhideGeneralForumTopic unpinAllChatMessages unpinAllForumTopicMessages unpinAllGeneralForumTopicMessages
      unpinChatMessage verifyChat verifyUser`,
    acts: `addStickerToSet convertGiftToStars copyMessage copyMessages createChatInviteLink createChatSubscriptionInviteLink
      createForumTopic createInvoiceLink createNewStickerSet exportChatInviteLink forwardMessage forwardMessages
      giftPremiumSubscription refundStarPayment replaceStickerInSet repostStory savePreparedInlineMessage
      savePreparedKeyboardButton sendAnimation sendAudio sendChatAction sendChatJoinRequestWebApp sendChecklist
      sendContact sendDice sendDocument sendGame sendGift sendInvoice sendLivePhoto sendLocation sendMediaGroup
      sendMessage sendMessageDraft sendPaidMedia sendPhoto sendPoll sendRichMessage sendRichMessageDraft sendSticker
      sendVenue sendVideo sendVideoNote sendVoice transferBusinessAccountStars transferGift upgradeGift`,
  },
  discord: {
    reads: `getBan getGuild getInvite getMessage listBans listInvites listPins listPollVoters listThreads`,
    sets: `addRole addThreadMember ban deleteChannel deleteInvite deleteRole editChannel editMember editRole endPoll
      joinThread leaveThread pinMessage removeRole removeThreadMember unban unpinMessage`,
    acts: `createChannel createInvite createMessage createRole createThread crosspostMessage startThread`,
  },
  matrix: {
    reads: `getEvent getRelations getState listThreads`,
    sets: `ban invite join kick leave pinMessage redact sendEvent setName setPowerLevel setState setTopic unban unpinMessage`,
    acts: `createRoom`,
  },
  slack: {
    reads: `agents.conversations.getCanvas agents.conversations.listViews api.test blocks.validate bookmarks.list bots.info
      calls.info canvases.sections.lookup chat.getPermalink chat.scheduledMessages.list conversations.history
      conversations.info conversations.list conversations.listConnectInvites conversations.members conversations.replies
      conversations.requestSharedInvite.list dnd.info dnd.teamInfo emoji.list files.info files.list files.remote.info
      files.remote.list pins.list reactions.get reactions.list reminders.info reminders.list search.all search.files
      search.messages slackLists.download.get slackLists.items.info slackLists.items.list team.accessLogs
      team.billableInfo team.billing.info team.externalTeams.list team.info team.integrationLogs team.preferences.list
      team.profile.get usergroups.list usergroups.users.list users.conversations users.discoverableContacts.lookup
      users.getPresence users.identity users.info users.list users.lookupByEmail users.profile.get
      workflows.featured.list`,
    sets: `agents.conversations.archive agents.conversations.removeView agents.conversations.setCanvasContent
      agents.conversations.setCommands agents.conversations.setProperties agents.conversations.setView
      agents.sessions.rename agents.sessions.setStatus assistant.threads.setStatus assistant.threads.setSuggestedPrompts
      assistant.threads.setTitle bookmarks.edit bookmarks.remove calls.end calls.participants.add
      calls.participants.remove calls.update canvases.access.delete canvases.access.set canvases.delete chat.delete
      chat.deleteScheduledMessage chat.stopStream chat.unfurl chat.update conversations.acceptSharedInvite
      conversations.approveSharedInvite conversations.archive conversations.close conversations.declineSharedInvite
      conversations.externalInvitePermissions.set conversations.invite conversations.join conversations.kick
      conversations.leave conversations.mark conversations.open conversations.rename
      conversations.requestSharedInvite.approve conversations.requestSharedInvite.deny conversations.setPurpose
      conversations.setTopic conversations.unarchive dnd.endDnd dnd.endSnooze dnd.setSnooze files.comments.delete
      files.delete files.remote.remove files.remote.update files.revokePublicURL files.sharedPublicURL
      functions.completeError functions.completeSuccess pins.add pins.remove reactions.add reactions.remove
      reminders.complete reminders.delete slackLists.access.delete slackLists.access.set slackLists.items.delete
      slackLists.items.deleteMultiple slackLists.items.update slackLists.update team.externalTeams.disconnect
      usergroups.disable usergroups.enable usergroups.update usergroups.users.update users.deletePhoto users.profile.set
      users.setPresence views.publish views.update workflows.featured.add workflows.featured.remove
      workflows.featured.set`,
    acts: `agents.conversations.create bookmarks.add calls.add canvases.create canvases.edit chat.appendStream chat.meMessage
      chat.postEphemeral chat.postMessage chat.scheduleMessage chat.startStream conversations.canvases.create
      conversations.create conversations.inviteShared entity.presentDetails files.completeUploadExternal
      files.getUploadURLExternal files.remote.add files.remote.share reminders.add slackLists.create
      slackLists.download.start slackLists.items.create usergroups.create views.open views.push`,
  },
  onebot: {
    reads: `can_send_image can_send_record get_essence_msg_list get_forward_msg get_friend_list get_group_honor_info
      get_group_info get_group_list get_group_member_info get_group_member_list get_group_msg_history get_image
      get_login_info get_msg get_record get_status get_stranger_info get_version_info`,
    sets: `delete_essence_msg delete_msg set_essence_msg set_friend_add_request set_group_add_request set_group_admin
      set_group_anonymous set_group_anonymous_ban set_group_ban set_group_card set_group_kick set_group_leave
      set_group_name set_group_special_title set_group_whole_ban`,
    acts: `send_group_forward_msg send_group_msg send_like send_msg send_private_forward_msg send_private_msg`,
  },
  xmpp: {reads: "listAffiliations", sets: "setAffiliation setSubject", acts: "invite setRole"},
} as const

export type BuiltInPlatform = keyof typeof words

type Words<S extends string, All = never> = S extends `${infer First} ${infer Rest}`
  ? Words<Rest, First extends "" | "\n" ? All : All | First>
  : All | S

/** The text of a list as words: a line's end is a space. */
type Lines<S extends string, All = never> = S extends `${infer Line}\n      ${infer Rest}`
  ? Lines<Rest, All | Words<Line>>
  : All | Words<S>

/** The names of a platform's methods, without the platform's name. */
export type NameOf<P extends BuiltInPlatform> = Lines<(typeof words)[P][keyof (typeof words)[P]] & string>

/** Returns the methods of one of svc's platforms, for its adapter. */
export const platformMethods = (name: BuiltInPlatform): OwnMethods => {
  const {reads, sets, acts} = words[name]
  const [read, set, act] = [reads, sets, acts].map(text => text.split(/\s+/))
  return {name, reads: read, sets: set, acts: act}
}
