package failures

import "slices"

// Scheme is the system that a raw code is from: a card network, a rail or a provider. The
// same code has different meanings in different schemes, for example 14 on a card and on
// M-Pesa.
type Scheme string

// The schemes that have a table.
const (
	ISO8583               Scheme = "iso8583"      // response codes of ISO 8583:1987, two characters, with the networks' additions
	ISO8583of1993         Scheme = "iso8583-1993" // action codes of ISO 8583:1993, three digits
	ISO20022              Scheme = "iso20022"     // status and return reasons of the external code sets
	MpesaDaraja           Scheme = "mpesa-daraja" // Safaricom M-Pesa; STK push is a payin, B2C and B2B are payouts
	MpesaOpenAPI          Scheme = "mpesa-openapi"
	MTNMoMo               Scheme = "mtn-momo"
	AirtelMoney           Scheme = "airtel-money"
	PawaPay               Scheme = "pawapay"
	NIBSSNIP              Scheme = "nibss-nip"
	Paystack              Scheme = "paystack"
	Flutterwave           Scheme = "flutterwave"
	OPPWA                 Scheme = "oppwa" // ACI, Peach Payments, HyperPay and others on the Open Payment Platform
	Stripe                Scheme = "stripe"
	CheckoutCom           Scheme = "checkout-com"
	Adyen                 Scheme = "adyen"
	EMV3DSTransStatus     Scheme = "emv3ds-transStatus"
	EMV3DSReason          Scheme = "emv3ds-transStatusReason"
	EMV3DSChallengeCancel Scheme = "emv3ds-challengeCancel"
	YellowCard            Scheme = "yellowcard"
	Hubtel                Scheme = "hubtel"
	Stitch                Scheme = "stitch"
	Ozow                  Scheme = "ozow"
	Interswitch           Scheme = "interswitch"
	Tingg                 Scheme = "tingg"
)

// Base returns the scheme whose codes this scheme passes through, or "". Codes that are
// not in the scheme's own table are looked up there.
func (s Scheme) Base() Scheme {
	switch s {
	case Interswitch, Paystack:
		return ISO8583
	default:
		return ""
	}
}

// beforeColon returns the scheme of the part before the colon in a raw code such as "51 :
// not sufficient funds". In Adyen's raw refusals that part is the issuer's code, not one
// of Adyen's own.
func (s Scheme) beforeColon() Scheme {
	if s == Adyen {
		return ISO8583
	}
	return s
}

// Schemes returns the schemes that have a table.
func Schemes() []Scheme { return slices.Clone(schemes) }

var schemes = []Scheme{
	ISO8583, ISO8583of1993, ISO20022, MpesaDaraja, MpesaOpenAPI, MTNMoMo, AirtelMoney, PawaPay, NIBSSNIP, Paystack,
	Flutterwave, OPPWA, Stripe, CheckoutCom, Adyen, EMV3DSTransStatus, EMV3DSReason, EMV3DSChallengeCancel, YellowCard,
	Hubtel, Stitch, Ozow, Interswitch, Tingg,
}
