package telegramtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// otherTextPrefix begins every text in an update of NewIgnoredUpdate: "said by <kind>".
const otherTextPrefix = "said by "

// IgnoredUpdateKinds returns the update kinds except people's messages, edits and presses. Kinds
// with a slash are messages and presses without a person.
func IgnoredUpdateKinds() []string {
	kinds := make([]string, len(otherUpdates))
	for i, o := range otherUpdates {
		kinds[i] = o.kind
	}
	return kinds
}

// NewIgnoredUpdate returns an update of one of IgnoredUpdateKinds as JSON. It has a sender if
// Telegram's updates of the kind have one.
func NewIgnoredUpdate(kind string, user int64) json.RawMessage {
	i := slices.IndexFunc(otherUpdates, func(o otherUpdate) bool { return o.kind == kind })
	if i < 0 {
		panic(fmt.Sprintf("telegramtest: there is no update of the kind %q", kind))
	}
	update, _, _ := strings.Cut(kind, "/")
	id := fmt.Sprint(user)
	body := strings.NewReplacer(
		"PRIVATE", `"chat":{"id":`+id+`,"type":"private","first_name":"Ann"}`,
		"GROUP", `"chat":{"id":-1000000000999,"type":"supergroup","title":"The house"}`,
		"CHANNEL", `"chat":{"id":-1000000000998,"type":"channel","title":"News"}`,
		"HEAD", `"message_id":900,"date":`+fmt.Sprint(time.Now().Unix()),
		"ANN", `{"id":`+id+`,"is_bot":false,"first_name":"Ann"}`,
		"MEWS", `{"id":42,"is_bot":true,"first_name":"Mews","username":"mews_bot"}`,
		"BOT", `{"id":777,"is_bot":true,"first_name":"B","username":"other_bot"}`,
		"USER", id,
		"NOW", fmt.Sprint(time.Now().Unix()),
		"SAID", string(mustMarshal(otherTextPrefix+kind)),
	).Replace(otherUpdates[i].body)
	return json.RawMessage(`{"update_id":1,"` + update + `":` + body + `}`)
}

// otherUpdate is the JSON of an update, with placeholders in capital letters.
type otherUpdate struct{ kind, body string }

var otherUpdates = []otherUpdate{
	{"edited_message/a place that moves", `{HEAD,"edit_date":NOW,"from":ANN,PRIVATE,"location":{"latitude":1.5,"longitude":2.5,` +
		`"live_period":900}}`},
	{"edited_message/by Telegram", `{HEAD,"from":ANN,PRIVATE,"text":SAID}`},
	{"edited_message/of a bot", `{HEAD,"edit_date":NOW,"from":BOT,GROUP,"text":SAID}`},
	{"edited_message/in another's chat", `{HEAD,"edit_date":NOW,"from":ANN,"chat":{"id":4242,"type":"private","first_name":"Eve"},"text":SAID}`},
	{"channel_post", `{HEAD,CHANNEL,"sender_chat":{"id":-1000000000998,"type":"channel","title":"News"},"text":SAID}`},
	{"edited_channel_post", `{HEAD,"edit_date":NOW,CHANNEL,"text":SAID}`},
	{"business_connection", `{"id":"b1","user":ANN,"user_chat_id":USER,"date":NOW,"can_reply":true,"is_enabled":true}`},
	{"business_message", `{HEAD,"business_connection_id":"b1","from":ANN,PRIVATE,"text":SAID}`},
	{"edited_business_message", `{HEAD,"edit_date":NOW,"business_connection_id":"b1","from":ANN,PRIVATE,"text":SAID}`},
	{"deleted_business_messages", `{"business_connection_id":"b1",PRIVATE,"message_ids":[900]}`},
	{"guest_message", `{HEAD,"from":ANN,GROUP,"text":SAID,"guest_query_id":"g1"}`},
	{"message_reaction", `{PRIVATE,"message_id":900,"date":NOW,"user":ANN,` +
		`"old_reaction":[{"type":"emoji","emoji":"👍"}],"new_reaction":[]}`},
	{"message_reaction/of a bot", `{GROUP,"message_id":900,"date":NOW,"user":BOT,"old_reaction":[],` +
		`"new_reaction":[{"type":"emoji","emoji":"👍"}]}`},
	{"message_reaction/of an anonymous administrator", `{GROUP,"message_id":900,"date":NOW,` +
		`"actor_chat":{"id":-1000000000999,"type":"supergroup","title":"The house"},` +
		`"old_reaction":[],"new_reaction":[{"type":"emoji","emoji":"👍"}]}`},
	{"message_reaction_count", `{GROUP,"message_id":900,"date":NOW,"reactions":[{"type":{"type":"emoji","emoji":"👍"},` +
		`"total_count":1}]}`},
	{"inline_query", `{"id":"1","from":ANN,"query":SAID,"offset":"","chat_type":"private"}`},
	{"chosen_inline_result", `{"result_id":"1","from":ANN,"query":SAID}`},
	{"shipping_query", `{"id":"1","from":ANN,"invoice_payload":SAID,"shipping_address":{"country_code":"ES"}}`},
	{"pre_checkout_query", `{"id":"1","from":ANN,"currency":"EUR","total_amount":1,"invoice_payload":SAID}`},
	{"purchased_paid_media", `{"from":ANN,"paid_media_payload":SAID}`},
	{"poll", `{"id":"1","question":SAID,"options":[{"text":"a","voter_count":1}],"total_voter_count":1,"is_closed":false}`},
	{"poll_answer", `{"poll_id":"1","user":ANN,"option_ids":[0]}`},
	{"my_chat_member", `{GROUP,"from":ANN,"date":NOW,"old_chat_member":{"status":"administrator","user":MEWS},` +
		`"new_chat_member":{"status":"left","user":MEWS}}`},
	{"my_chat_member/of another bot", `{GROUP,"from":ANN,"date":NOW,"old_chat_member":{"status":"left","user":BOT},` +
		`"new_chat_member":{"status":"member","user":BOT}}`},
	{"chat_member", `{GROUP,"from":ANN,"date":NOW,"old_chat_member":{"status":"left","user":ANN},` +
		`"new_chat_member":{"status":"member","user":ANN}}`},
	{"chat_join_request", `{GROUP,"from":ANN,"user_chat_id":USER,"date":NOW,"bio":SAID}`},
	{"chat_boost", `{GROUP,"boost":{"boost_id":"1","add_date":NOW,"expiration_date":NOW,"source":{"source":"premium","user":ANN}}}`},
	{"removed_chat_boost", `{GROUP,"boost_id":"1","remove_date":NOW,"source":{"source":"premium","user":ANN}}`},
	{"managed_bot", `{"user":ANN,"bot":BOT}`},
	{"stopped_message_generation", `{PRIVATE,"draft_id":1}`},

	{"message/web_app_data", `{HEAD,"from":ANN,PRIVATE,"web_app_data":{"data":SAID,"button_text":"Send"}}`},
	{"message/web_app_data and text", `{HEAD,"from":ANN,PRIVATE,"text":SAID,"web_app_data":{"data":SAID,"button_text":"Send"}}`},
	{"message/of a bot", `{HEAD,"from":BOT,GROUP,"text":SAID,"reply_to_message":{HEAD,"from":MEWS,GROUP,"text":"hi"}}`},
	{"message/of an anonymous administrator", `{HEAD,"from":{"id":1087968824,"is_bot":true,"first_name":"Group",` +
		`"username":"GroupAnonymousBot"},"sender_chat":{"id":-1000000000999,"type":"supergroup","title":"The house"},GROUP,` +
		`"text":SAID,"reply_to_message":{HEAD,"from":MEWS,GROUP,"text":"hi"}}`},
	{"message/as a channel", `{HEAD,"from":ANN,"sender_chat":{"id":-1000000000998,"type":"channel","title":"News"},GROUP,` +
		`"text":SAID,"reply_to_message":{HEAD,"from":MEWS,GROUP,"text":"hi"}}`},
	{"message/of a linked channel", `{HEAD,"from":{"id":777000,"is_bot":false,"first_name":"Telegram"},GROUP,"text":SAID,` +
		`"sender_chat":{"id":-1000000000998,"type":"channel","title":"News"},"is_automatic_forward":true,` +
		`"forward_origin":{"type":"channel","date":NOW,CHANNEL,"message_id":1}}`},
	{"message/in a channel", `{HEAD,"from":ANN,CHANNEL,"text":SAID}`},
	{"message/in another's chat", `{HEAD,"from":ANN,"chat":{"id":4242,"type":"private","first_name":"Eve"},"text":SAID}`},
	{"message/for a business", `{HEAD,"business_connection_id":"b1","from":ANN,PRIVATE,"text":SAID}`},
	{"message/of a business's bot", `{HEAD,"sender_business_bot":BOT,"from":ANN,PRIVATE,"text":SAID}`},
	{"message/of nobody", `{HEAD,PRIVATE,"text":SAID}`},
	{"message/the bot joined", `{HEAD,"from":ANN,GROUP,"new_chat_members":[MEWS]}`},
	{"message/the bot left", `{HEAD,"from":ANN,GROUP,"left_chat_member":MEWS}`},
	{"message/a group was made", `{HEAD,"from":ANN,"chat":{"id":-999,"type":"group","title":"The flat"},"group_chat_created":true}`},
	{"message/a title", `{HEAD,"from":ANN,GROUP,"new_chat_title":SAID}`},
	{"message/something was pinned", `{HEAD,"from":ANN,GROUP,"pinned_message":{HEAD,"from":ANN,GROUP,"text":SAID}}`},
	{"message/a topic", `{HEAD,"from":ANN,GROUP,"message_thread_id":5,"is_topic_message":true,` +
		`"forum_topic_created":{"name":SAID,"icon_color":7322096}}`},
	{"message/a payment", `{HEAD,"from":ANN,PRIVATE,"successful_payment":{"currency":"EUR","total_amount":1,` +
		`"invoice_payload":SAID,"telegram_payment_charge_id":"1","provider_payment_charge_id":"1"}}`},
	{"message/users shared", `{HEAD,"from":ANN,PRIVATE,"users_shared":{"request_id":1,"users":[{"user_id":4242}]}}`},
	{"message/write access", `{HEAD,"from":ANN,PRIVATE,"write_access_allowed":{"web_app_name":SAID}}`},
	{"message/a website", `{HEAD,"from":ANN,PRIVATE,"connected_website":SAID}`},
	{"message/a video chat", `{HEAD,"from":ANN,GROUP,"video_chat_started":{}}`},
	{"message/a boost", `{HEAD,"from":ANN,GROUP,"boost_added":{"boost_count":1}}`},

	{"callback_query/below an inline message", `{"id":"1","from":ANN,"inline_message_id":"i1","chat_instance":"1","data":SAID}`},
	{"callback_query/below what is too old", `{"id":"1","from":ANN,"chat_instance":"1","data":SAID,` +
		`"message":{"message_id":900,"date":0,PRIVATE}}`},
	{"callback_query/of a game", `{"id":"1","from":ANN,"chat_instance":"1","game_short_name":"chess",` +
		`"message":{HEAD,"from":MEWS,PRIVATE,"game":{"title":"Chess","description":SAID}}}`},
	{"callback_query/of a bot", `{"id":"1","from":BOT,"chat_instance":"1","data":SAID,"message":{HEAD,"from":MEWS,GROUP,"text":"hi"}}`},
	{"callback_query/of nobody", `{"id":"1","chat_instance":"1","data":SAID,"message":{HEAD,"from":MEWS,PRIVATE,"text":"hi"}}`},
	{"callback_query/below another's", `{"id":"1","from":ANN,"chat_instance":"1","data":SAID,"message":{HEAD,"from":ANN,PRIVATE,"text":"hi"}}`},
	{"callback_query/in a channel", `{"id":"1","from":ANN,"chat_instance":"1","data":SAID,"message":{HEAD,"from":MEWS,CHANNEL,"text":"hi"}}`},
	{"callback_query/in another's chat", `{"id":"1","from":ANN,"chat_instance":"1","data":SAID,"message":{HEAD,"from":MEWS,` +
		`"chat":{"id":4242,"type":"private","first_name":"Eve"},"text":"hi"}}`},
	{"callback_query/of nothing", `{"id":"1","from":ANN,"chat_instance":"1","data":"","message":{HEAD,"from":MEWS,PRIVATE,"text":"hi"}}`},
	{"callback_query/of too much", `{"id":"1","from":ANN,"chat_instance":"1","data":"` + strings.Repeat("a", 65) +
		`","message":{HEAD,"from":MEWS,PRIVATE,"text":"hi"}}`},
	{"callback_query/of odd letters", `{"id":"1","from":ANN,"chat_instance":"1","data":"ü","message":{HEAD,"from":MEWS,PRIVATE,"text":"hi"}}`},
}
