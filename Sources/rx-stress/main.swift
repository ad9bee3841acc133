print("rx-stress")
