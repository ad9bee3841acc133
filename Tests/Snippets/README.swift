import RxCocoa
