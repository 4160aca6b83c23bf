package install

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor/app"
	"mews/supervisor/logging"
	"mews/supervisor/modelcall"
	"mews/supervisor/telegram"
)

// probeTime is how long a probe may take. A local model may have to load first.
const probeTime = 2 * time.Minute

// Probe asks Telegram for the bot and the model for one token, and prints what they are.
func (in *Installer) Probe(ctx context.Context) error {
	if in.secrets[secretToken] != "" {
		if err := in.probeBot(ctx); err != nil {
			return err
		}
	}
	return in.probeModel(ctx)
}

// probeBot shows the name of the bot whose token was given.
func (in *Installer) probeBot(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	client, err := telegram.New(telegram.Options{Token: trimLine(in.secrets[secretToken]),
		APIURL: in.record.Answers.TelegramURL})
	if err != nil {
		return err
	}
	me, err := client.GetMe(ctx)
	if err != nil {
		return fmt.Errorf(textNoBot, err)
	}
	_, err = fmt.Fprintf(in.Out, textBotFound, me.Username)
	return err
}

// probeModel asks the model for one token.
func (in *Installer) probeModel(ctx context.Context) error {
	spec := in.record.Answers.Model
	if spec == offlineModel || in.record.Answers.Keyed && in.secrets[secretKey] == "" && in.found {
		return nil // asked when the key was given
	}
	cfg, err := in.config()
	if err != nil {
		return err
	}
	catalogue, err := app.NewModelCatalogue(cfg, logging.Discard())
	if err != nil {
		return err
	}
	defer catalogue.Close()
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	hi := protocol.Message{Role: protocol.RoleUser, Parts: []protocol.ContentPart{{Text: "hi"}}}
	_, err = catalogue.Complete(ctx, spec, modelcall.Request{Messages: []protocol.Message{hi}, Output: 1})
	if err != nil {
		return fmt.Errorf(textNoModel, spec, err)
	}
	_, err = fmt.Fprintf(in.Out, textModelOK, spec)
	return err
}

// checkModel refuses a model without a provider's address.
func (a Answers) checkModel() error {
	if a.Model == offlineModel {
		return nil
	}
	provider, name, ok := strings.Cut(a.Model, "/")
	if !ok || provider == "" || name == "" {
		return fmt.Errorf(textSpecShape, a.Model)
	}
	if p := ProviderOf(a); p.BaseURL == "" && (p.Kind == "openai" && provider != "openai") {
		return fmt.Errorf(textProviderURL, provider)
	}
	return nil
}
