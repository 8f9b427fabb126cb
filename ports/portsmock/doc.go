// Package portsmock holds mocks of the interfaces of package ports, generated
// by go.uber.org/mock. Use one where the order or the number of calls is the
// point; for all else adapters/memory and the fakes of ports/portstest/fake
// behave like the real thing.
//
//	ctrl := gomock.NewController(t)
//	feed := portsmock.NewMockPriceFeed(ctrl)
//	feed.EXPECT().
//		Mid(gomock.Any(), ports.Pair{Base: "USD", Quote: "ZAR"}).
//		Return(ports.Price{}, errcodes.New(errcodes.PriceUnavailable, "")).
//		Times(2)
package portsmock

//go:generate go run go.uber.org/mock/mockgen@v0.6.0 -destination mocks.go -package portsmock -write_package_comment=false -typed github.com/corridor-go/corridor/ports Clock,PriceFeed,RateLockStore,ValidationStore,TransactionStore,ReportStore,TransactionSource,SettlementSource,ReportWriter,RowWriter,ReportFiles,NewReportFile,ReportFile,Scratch,ScratchSpace,AnswerCache,AccountConnector,Sealer,SecretStore,ClientStore,TokenStore,Work,Outbox,DeadLetters,EventSink
